"""Links from the statistics of pairs: what is counted, the head that weighs it, how it is trained and checked."""
