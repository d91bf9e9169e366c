"""How much a learner may type, paste, bring along in a file or share in a link."""

MOST_ALONG_AN_AXIS = 16  # of an array that is not the preset's own
MOST_SIDE_BY_SIDE = 3 * MOST_ALONG_AN_AXIS  # columns of a matrix that holds Q, K and V
MOST_AXES = 4
LARGEST = 1e9  # of a number, with either sign
MOST_TYPED = 60  # characters of an answer
