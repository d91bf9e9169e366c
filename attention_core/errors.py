"""The one exception of attention_core: a code, the facts, and a sentence made of both."""

# What was given, what is needed, what to change. Other languages translate these by code.
MESSAGES = {
    "not_numbers": "{name} must be an array of real numbers, but {given} was given. "
    "Pass a list of rows of equal length or a NumPy array of numbers.",
    "not_finite": "{name} holds {value} at {index}. Every number must be finite: replace it.",
    "overflow": "The numbers grew past what {dtype} can hold at step {step}. "
    "Use smaller numbers in the input or the weights.",
    "empty": "{name} has shape {shape}, so it holds nothing. Every axis needs a size of at least 1.",
    "ndim": "{name} has shape {shape}, but needs {needed} axes ({axes}). Reshape it or add an axis.",
    "size": "{name} has {given} along its {axis} axis (shape {shape}), but {needed} is needed "
    "to match {other}. Change one of the two.",
    "shape": "{name} has shape {shape}, but {needed} is needed to match {other}. Reshape it.",
    "count": "{name} is {given}, but must be a whole number of at least {least}. Change it.",
    "number": "{name} is {given}, but must be {needed}. Change it.",
    "heads_divide": "{name} has width {width}, which {n_heads} heads do not divide evenly. "
    "Choose a number of heads that divides {width}, or change the width.",
    "fused_width": "w_qkv has width {width}, but Q, K and V for {n_heads} heads need a multiple of {step}. "
    "Change the number of heads or the width.",
    "kv_heads_differ": "key has {n_key_heads} heads and value has {n_value_heads}. "
    "Give both the same number.",
    "kv_heads_divide": "{n_heads} query heads cannot share {n_kv_heads} key/value heads evenly. "
    "Choose a number of key/value heads that divides {n_heads}.",
    "heads_differ": "query has {n_heads} heads and {name} has {given}. Give both the same number, "
    "or pass enable_gqa=True to let query heads share key/value heads.",
    "key_dim_zero": "{dim} channels over {n_heads} heads leave {head_dim} per head; times attn_ratio "
    "{attn_ratio} that rounds down to a key_dim of 0. Use fewer heads, more channels or a larger ratio.",
    "mask_shape": "attn_mask has shape {shape}, which does not broadcast to {needed} ({axes}). "
    "Give every axis its full size or 1.",
    "mask_dtype": "attn_mask holds {given}. Use booleans (True may look) or floats (added to the scores).",
    "mask_value": "attn_mask holds {value} at {index}. A float mask may hold any finite number "
    "and -inf: replace it.",
    "dropout_range": "dropout_p is {given}, but must be at least 0 and less than 1. Change it.",
    "window": "window is {given}, but must be (left, right), each a whole number of at least 0 "
    "or None for no limit.",
    "kv_lengths": "{name} is {given}, but must hold whole numbers from 0 to {most}, "
    "one for each batch item ({needed}).",
    "goes_with": "{given} was given without {missing}, so it has nothing to act on. "
    "Pass both, or leave {given} out.",
    "cache_conflict": "past_key and kv_lengths were both given. A cache is either grown (past_key, "
    "past_value) or pre-filled (kv_lengths): pass one of them.",
    "table_length": "table has shape {shape}, but {n_tokens} tokens need ({n_tokens}, {n_tokens}): "
    "a fixed table holds one weight for each pair of places, so it serves one length only. "
    "Give another table, or compute the weights from the tokens.",
    "no_crossing": "'{given}' is not made of a part that grows with the length and one that grows with its "
    "square, so nothing takes over. Name one or more amounts of cost that do: {names}.",
    "unknown_step": "There is no {given} in this trace. It holds: {names}.",
    "index": "{given} is not an index of {name}, which has shape {shape}. "
    "Give {needed} whole numbers, each inside its axis.",
    "not_moved": "The numbers of {name} were given or computed there, not moved from elsewhere. "
    "Ask for one of: {names}.",
    "no_gradient": "{given} has no gradient: it holds no floating-point numbers of this computation. "
    "Ask for one of: {names}.",
    "too_many_rows": "The table would have {given} rows, but at most {most} are made. "
    "Name fewer steps, or pass most_rows.",
    "model_extra": "Reading a model needs the Python package {package}, which is not installed. "
    "Install it: `pip install -r requirements-models.txt`.",
    "model_file": "The folder of the model has no file {name}. "
    "Put config.json, model.safetensors and tokenizer.json into it, or name another folder.",
    "model_size": "{name} says that it needs {given} bytes, but at most {most} are read. Use a smaller model.",
    "model_broken": "{name} cannot be read: it is damaged, or not the kind of file that its name says. "
    "Get it again.",
    "model_config": "config.json says that {setting} is {given}, but it must be {needed}. "
    "Use a model of one of the families that are computed here.",
    "tensor_missing": "model.safetensors has no tensor {name}. "
    "Use a file with all weights of the model that config.json describes.",
    "tensor_shape": "Tensor {name} has shape {shape}, but config.json asks for {needed}. "
    "Use two files that belong together.",
    "tensor_type": "Tensor {name} holds numbers of type {given}, but only {needed} can be read. "
    "Convert the file.",
    "text_long": "The text has {given} characters, but at most {most} are read. Shorten it.",
    "text_broken": "The text holds half of a character. Type it again.",
    "text_empty": "The text has no word in it. Type a sentence.",
    "too_many_tokens": "The sentence has {given} tokens, but at most {most} are computed. Shorten it.",
    "token_unknown": "A token has the id {given}, but the ids of this model go from 0 to {most}. "
    "Use the tokenizer.json that belongs to the model.",
    "places": "{name} is {given}, but the places of the tokens go from 0 to {most}. Name some of these.",
    "not_an_order": "{name} is {given}, but must hold every place from 0 to {most} once. Change it.",
    "trace_axes": "Step {name} has shape {shape} but axes {axes}. "
    "Name every axis once and give one size to a name.",
    "trace_order": "Step {name} comes from {missing}, which does not come before it.",
}

# English inside the facts of a sentence; translated by code too.
PHRASES = {
    "at_least": "at least {least}",
    "at_most": "at most {most}",
    "half_of_sentences": "at most {most}, half of the different sentences there are",
    "number_at_least": "a number of at least {least}",
    "number_up_to": "a number above 0 and at most {most}",
    "positive_up_to": "a positive number up to {most}",
    "whole_up_to": "a whole number from 1 to {most}",
    "between_0_and_1": "a number between 0 and 1",
    "finite": "a finite number",
    "finite_above_0": "a finite number above 0",
    "finite_or_none": "a finite number or None for 1/√d_k",
    "finite_or_infinite": "-inf or a finite number",
    "zero_or_positive": "0 or a positive number",
    "above_0_for_constant": "larger than 0 where a row is constant",
    "odd_at_least": "an odd whole number of at least {least}",
    "generator": "a NumPy Generator, a whole number of at least 0, or None",
    "one_of": "one of {names}",
    "either": "{first} or {last}",
    "any": "any",
    "array_of": "an array of {dtype}",
    "values_of": "values of type {dtype}",
    "the_output": "the output",
    "the_others": "the others",
    "new_keys": "the new keys and values",
    "input_channels": "the channels of its input",
    "channels": "{sum} channels",
    "kernel_each": "one 3x3 kernel for each channel",
    "per_head": "{name} ({width} per head)",
    "added_to": "{name}, to which it is added",
    "gradient_of": "gradient of {name}",
    "axis_in": "in",
    "axis_out": "out",
    "axis_score": "score",
    "axis_weight": "weight",
    "axis_column": "column",
}


class Phrase:
    """Words inside a fact: `.code` and `.facts` for who translates them, English as a string."""

    __slots__ = ("code", "facts")

    def __init__(self, code: str, **facts):
        self.code, self.facts = code, facts

    def __str__(self) -> str:
        return PHRASES[self.code].format(**self.facts)


class AttentionError(ValueError):
    """An input that cannot be computed: `.code` says which rule, `.facts` the numbers."""

    def __init__(self, code: str, **facts):
        super().__init__(MESSAGES[code].format(**facts))
        self.code = code
        self.facts = facts

    def __reduce__(self):
        return _rebuild, (self.code, self.facts)


def _rebuild(code, facts):
    return AttentionError(code, **facts)
