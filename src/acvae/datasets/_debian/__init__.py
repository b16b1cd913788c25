"""What the Debian data set is made of: a reader of package indexes, and the bundled snapshot."""
