"""Attention, computed with every intermediate kept, named and explainable. NumPy only."""

from .architectures import compare_layers, fixed_table, reach
from .attention import scaled_dot_product_attention
from .cost import cost, crossing_length, growth
from .dot_products import (
    Saturation,
    Spread,
    VarianceExperiment,
    candidate_scales,
    random_dot_products,
    random_pairs,
    random_scores,
    running_dot_products,
    saturation,
    scaled_scores,
    variance_experiment,
)
from .errors import MESSAGES, PHRASES, AttentionError, Phrase
from .explain import Explanation, Operand, Term, explain_cell
from .fast.memory import release_memory
from .generation import TokenStep, multiplications, token_by_token
from .gradients import gradients
from .multi_head import fused_qkv_attention, multi_head_attention
from .normalising import (
    SoftmaxSteps,
    argmax_shares,
    broken_rules,
    entropy,
    failed_checks,
    largest_safe_score,
    plain_shares,
    softmax_at,
    softmax_jacobian,
    softmax_steps,
)
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
from .post_norm import post_norm_attention
from .size_formulas import Amount
from .trace import Step, Trace
from .vision import conv_attention

__all__ = [
    "MESSAGES",
    "PHRASES",
    "Amount",
    "AttentionError",
    "Explanation",
    "Operand",
    "Origins",
    "Phrase",
    "Saturation",
    "SoftmaxSteps",
    "Spread",
    "Step",
    "Term",
    "TokenStep",
    "Trace",
    "VarianceExperiment",
    "argmax_shares",
    "broken_rules",
    "candidate_scales",
    "causal_mask",
    "compare_layers",
    "conv1x1",
    "conv_attention",
    "cost",
    "crossing_length",
    "depthwise_conv3x3",
    "entropy",
    "explain_cell",
    "failed_checks",
    "fixed_table",
    "fused_qkv_attention",
    "gradients",
    "growth",
    "largest_safe_score",
    "layer_norm",
    "merge_heads",
    "multi_head_attention",
    "multiplications",
    "origins",
    "padding_mask",
    "plain_shares",
    "post_norm_attention",
    "random_dot_products",
    "random_pairs",
    "random_scores",
    "reach",
    "release_memory",
    "repeat_heads",
    "running_dot_products",
    "saturation",
    "scaled_dot_product_attention",
    "scaled_scores",
    "softmax",
    "softmax_at",
    "softmax_jacobian",
    "softmax_steps",
    "split_heads",
    "token_by_token",
    "variance_experiment",
    "window_mask",
]
