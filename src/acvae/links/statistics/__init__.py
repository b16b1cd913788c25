"""The numbers of a pair that its link is read from, a file for each sort of number.

Every sort answers for whole rows, for single pairs, and for candidates of a query without the query's edge.
"""
