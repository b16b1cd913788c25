"""How a training step is made: batches, plain autograd or a compiled gradient, Adam, many processes."""
