"""Links from the statistics of pairs: what is counted, the head that weighs it, training, checks."""
