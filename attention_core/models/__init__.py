"""Real models: checkpoints of BERT and GPT-2 in the terms of attention_core.

Needs NumPy only, until a model is read: then `safetensors` and `tokenizers` (requirements-models.txt).
"""

from .measures import MEASURES, Measure, measure_all
from .model import Model, load_model
from .run import Embedding, Run
from .tokens import Tokens

__all__ = ["MEASURES", "Embedding", "Measure", "Model", "Run", "Tokens", "load_model", "measure_all"]
