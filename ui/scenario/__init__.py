"""What the learner chose, as one frozen value; its link; what can be chosen."""
