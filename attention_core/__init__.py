"""Attention, computed with every intermediate kept, named and explainable. NumPy only."""

from .amounts import Amount
from .architectures import compare_layers, fixed_table, reach
from .attention import (
    fused_qkv_attention,
    multi_head_attention,
    post_norm_attention,
    scaled_dot_product_attention,
)
from .cost import cost, crossing_length, growth
from .errors import MESSAGES, AttentionError
from .explain import Explanation, Operand, Term, explain_cell
from .gradients import gradients
from .memory import release_memory
from .origins import Origins, origins
from .pieces import (
    causal_mask,
    conv1x1,
    depthwise_conv3x3,
    layer_norm,
    merge_heads,
    padding_mask,
    repeat_heads,
    softmax,
    split_heads,
    window_mask,
)
from .trace import Step, Trace
from .vision import conv_attention

__all__ = [
    "MESSAGES",
    "Amount",
    "AttentionError",
    "Explanation",
    "Operand",
    "Origins",
    "Step",
    "Term",
    "Trace",
    "causal_mask",
    "compare_layers",
    "conv1x1",
    "conv_attention",
    "cost",
    "crossing_length",
    "depthwise_conv3x3",
    "explain_cell",
    "fixed_table",
    "fused_qkv_attention",
    "gradients",
    "growth",
    "layer_norm",
    "merge_heads",
    "multi_head_attention",
    "origins",
    "padding_mask",
    "post_norm_attention",
    "reach",
    "release_memory",
    "repeat_heads",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
    "window_mask",
]
