"""The command forecaster."""

import os
import subprocess
import sys

from ._command import BINARY


def main() -> None:
    if os.name == "posix":
        os.execv(BINARY, ["forecaster", *sys.argv[1:]])
    sys.exit(subprocess.call([BINARY, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
