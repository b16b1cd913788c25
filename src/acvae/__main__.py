"""`python -m acvae`: the command `acvae`, where the folder of scripts is not on the path."""

import sys

from acvae.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
