"""The pages: how each opens, which acts it knows, what it shows; and the answer to a request."""
