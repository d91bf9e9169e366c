"""How much a learner may type, paste, bring along in a file or share in a link."""

MOST_ALONG_AN_AXIS = 16  # of an array that is not the preset's own
MOST_SIDE_BY_SIDE = 3 * MOST_ALONG_AN_AXIS  # columns of a matrix that holds Q, K and V
MOST_AXES = 4
LARGEST = 1e9  # of a number, with either sign
MOST_TYPED = 60  # characters of an answer
MOST_PRODUCTS_AT_ONCE = 100_000  # multiplications that a browser does within the frame of a key press
