// @ts-check
// What the server sends. Written by `python -m ui.message.jsdoc` from ui/message/types.py; not by hand.

/**
 * Where the learner looks.
 * @typedef {object} View
 * @property {string} step
 * @property {Array<any>} cell
 * @property {number} focus
 * @property {string} picture
 * @property {number} decimals
 * @property {number} head
 * @property {number} heads
 * @property {number} batch
 * @property {number} batches
 * @property {boolean} all
 * @property {boolean} predict
 */

/**
 * A step before it has numbers, as static/engine carries it out.
 * @typedef {object} PlanLine
 * @property {string} name
 * @property {string} called
 * @property {string} ink
 * @property {Array<string>} axes
 * @property {string} op
 * @property {Array<string>} inputs
 * @property {Array<number>} shape
 */

/**
 * All about a matrix of the board but its numbers.
 * @typedef {object} MatrixOutline
 * @property {string} key
 * @property {string} id
 * @property {string} name
 * @property {string} shape
 * @property {string} formula
 * @property {string} ink
 * @property {string} kind
 * @property {string} scale
 * @property {Array<string>} axes
 * @property {boolean} editable
 * @property {number} row
 * @property {Array<string>} [rows]
 * @property {Array<string>} [columns]
 * @property {Array<[string, number]>} [row_strip]
 * @property {Array<[string, number]>} [strip]
 * @property {Array<[string, number]>} [front]
 * @property {boolean} [by_head]
 * @property {boolean} [fixed]
 */

/**
 * How the matrices of a step stand on the stage, by the names of their steps.
 * @typedef {object} Stand
 * @property {string} kind
 * @property {Array<string>} left
 * @property {Array<string>} above
 * @property {Array<string>} [turned]
 * @property {string} [bias]
 */

/**
 * What the step in focus says besides its numbers.
 * @typedef {object} StepOutline
 * @property {string} id
 * @property {string} name
 * @property {Array<[string, number]>} axes
 * @property {string} ink
 * @property {Stand} stand
 * @property {Object<string, any>} heatmap
 * @property {Object<string, any>} shapes
 * @property {Object<string, any>} change
 * @property {Array<string>} [from]
 * @property {string} [algebra]
 * @property {string} [latex]
 * @property {string} [numpy]
 * @property {string} [torch]
 */

/**
 * The step that the board of a lesson is about.
 * @typedef {object} About
 * @property {string} id
 * @property {string} step
 * @property {Stand} stand
 */

/**
 * One stop of the rail.
 * @typedef {object} StageOutline
 * @property {string} id
 * @property {string} title
 * @property {string} why
 * @property {string} shape
 * @property {Array<StepOutline>} steps
 */

/**
 * One of the heads that the page of heads shows as small maps.
 * @typedef {object} HeadTile
 * @property {number} layer
 * @property {number} head
 * @property {number} size
 * @property {string} [example]
 * @property {string} [title]
 */

/**
 * All heads on a sentence.
 * @typedef {object} HeadsOutline
 * @property {Object<string, string>} words
 * @property {string} model
 * @property {string} credit
 * @property {string} text
 * @property {number} layers
 * @property {number} heads
 * @property {Array<string>} tokens
 * @property {Array<string>} texts
 * @property {Array<number>} token_words
 * @property {Array<[number, number, number]>} spans
 * @property {Array<HeadTile>} tiles
 * @property {string} maps
 * @property {Object<string, Array<number>>} measures
 * @property {Object<string, string>} formulas
 * @property {Array<string>} groups
 * @property {Object<string, any>} figure
 * @property {boolean} can_type
 * @property {Array<[string, string]>} examples
 * @property {Array<number>} hidden
 * @property {Array<number>} swapped
 * @property {Array<number>} positions
 * @property {string} [no_model]
 */

/**
 * The vectors behind one weight.
 * @typedef {object} Pair
 * @property {Array<number>} q
 * @property {Array<number>} k
 * @property {Array<number>} products
 * @property {Array<number>} v
 * @property {number|null} score
 * @property {number|null} scaled
 * @property {number} weight
 * @property {number} width
 */

/**
 * The head that was kept, beside the one that is shown.
 * @typedef {object} HeadsCompared
 * @property {number} head
 * @property {Array<string>} tokens
 * @property {string} text
 * @property {Array<Array<number|null>>} values
 * @property {Array<[number, number]>} changed
 * @property {Array<number>} other
 * @property {number} [layer]
 * @property {[number, number, number, number]} [largest]
 * @property {number} [mean]
 */

/**
 * The head, the word and the weight that are chosen.
 * @typedef {object} HeadsShown
 * @property {number} layer
 * @property {number} head
 * @property {number} focus
 * @property {number} key
 * @property {boolean} chosen
 * @property {string} sort
 * @property {string} example
 * @property {string} lab
 * @property {Pair} pair
 * @property {HeadsCompared} [compare]
 */

/**
 * What depends on structure alone: sent once, and again only to a browser that does not say it holds it.
 * @typedef {object} Outline
 * @property {Object<string, string>} words
 * @property {Array<[string, string]>} languages
 * @property {Object<string, string>} axes
 * @property {string} about
 * @property {Array<MatrixOutline>} matrices
 * @property {Object<string, string>} marks
 * @property {Object<string, any>} figures
 * @property {Array<Object<string, any>>} [choices]
 * @property {Array<StageOutline>} [stages]
 * @property {About} [shown]
 * @property {Array<PlanLine>} [plan]
 * @property {Object<string, Array<string>>} [labels]
 * @property {HeadsOutline} [heads]
 */

/**
 * The row of weights that is shown as bars.
 * @typedef {object} Row
 * @property {number} row
 * @property {string} name
 * @property {Array<number|null>} shares
 * @property {number|null} sum
 * @property {number} [bits]
 */

/**
 * The overview of a large matrix, and the names of the rows and columns under the lens.
 * @typedef {object} Large
 * @property {string} dots
 * @property {Array<number>} size
 * @property {Array<number>} shape
 * @property {Array<number>} at
 * @property {Array<string>} rows
 * @property {Array<string>} columns
 * @property {number|null} top
 * @property {number} above
 */

/**
 * A line of arithmetic, and the numbers to step back to.
 * @typedef {object} Line
 * @property {string} name
 * @property {string} text
 * @property {string} latex
 * @property {Array<[string, string, Array<number>, string]>} back
 * @property {string} ink
 */

/**
 * What the learner may do: of controls "yes", "locked" or "hidden".
 * @typedef {object} May
 * @property {boolean} rename
 * @property {string} [predict]
 * @property {string} [compare]
 * @property {boolean} [restart]
 */

/**
 * The question of a section, and what was said to the last answer.
 * @typedef {object} Ask
 * @property {string} kind
 * @property {Array<Array<any>>} text
 * @property {boolean} answered
 * @property {string} about
 * @property {Array<[string, string]>} [options]
 * @property {string} [given]
 * @property {boolean} [right]
 * @property {string} [hint]
 * @property {string} [answer]
 * @property {string} [help]
 * @property {string} [matrix]
 * @property {[number, number]} [cell]
 * @property {Object<string, Array<[number, number, string]>>} [lit]
 */

/**
 * A control of a section, as it stands.
 * @typedef {object} KnobShown
 * @property {string} name
 * @property {string} label
 * @property {number} value
 * @property {Array<string>} [options]
 * @property {Array<number>} [values]
 * @property {number} [least]
 * @property {number} [most]
 * @property {number} [step]
 * @property {boolean} [press]
 * @property {number} [play]
 * @property {number} [above]
 */

/**
 * The section of a lesson that is shown.
 * @typedef {object} SectionShown
 * @property {string} id
 * @property {number} number
 * @property {string} title
 * @property {Array<[string, string]>} sections
 * @property {number} place
 * @property {Array<Array<any>>|null} text
 * @property {Ask|null} ask
 * @property {Array<Array<any>>|null} try
 * @property {boolean} tried
 * @property {Array<Array<any>>|null} why
 * @property {boolean} done
 * @property {boolean} changed
 * @property {Array<KnobShown>} knobs
 * @property {string} next
 * @property {boolean} lab
 * @property {boolean} confusion
 * @property {Array<Object<string, any>>} blocks
 * @property {boolean} working
 * @property {boolean} restart
 */

/**
 * A lesson on the home page.
 * @typedef {object} Card
 * @property {string} id
 * @property {number} number
 * @property {string} title
 * @property {string} about
 * @property {Array<string>} sections
 */

/**
 * Lessons that belong together, on the home page.
 * @typedef {object} Chapter
 * @property {string} id
 * @property {string} title
 * @property {Array<Card>} lessons
 */

/**
 * All that the workbench needs for one repaint.
 * @typedef {object} Message
 * @property {string} outline
 * @property {Array<Array<Array<number|null>>>} values
 * @property {Object<string, number>} tops
 * @property {View} view
 * @property {string} language
 * @property {Outline} [new_outline]
 * @property {Object<string, number|null|Array<number|null>>} [given]
 * @property {Object<string, Array<[number, number]>>} [hidden]
 * @property {Object<string, Large>} [large]
 * @property {Object<string, Array<[number, number, string]>>} [lit]
 * @property {Array<Line>} [lines]
 * @property {Object<string, Row>} [shares]
 * @property {Object<string, any>} [choices]
 * @property {Array<[string, string, boolean]>} [panels]
 * @property {string} [panel]
 * @property {May} [may]
 * @property {string} [to_home]
 * @property {string} [sentence]
 * @property {[string, Array<any>]} [instead]
 * @property {Object<string, Array<[number, number, string, string]>>} [guesses]
 * @property {Array<string>} [notes]
 * @property {[number, number]} [score]
 * @property {Object<string, any>} [compare]
 * @property {Array<string>} [covered]
 * @property {SectionShown} [lesson]
 * @property {Object<string, string>} [home]
 * @property {HeadsShown} [heads]
 * @property {Array<Chapter>} [course]
 * @property {boolean} [embedded]
 */

/**
 * Another page to turn to.
 * @typedef {object} Leaving
 * @property {string} page
 * @property {string} link
 * @property {string} language
 */

/**
 * What the component is given: the answer to a request.
 * @typedef {object} Data
 * @property {string} page
 * @property {number} id
 * @property {Object<string, any>} state
 * @property {Array<[string, string]>} trail
 * @property {Message} message
 * @property {Leaving} [leave]
 * @property {Object<string, any>} [asked]
 */

export {};
