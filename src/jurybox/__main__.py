"""``python -m jurybox``: the command line of the Python that is asked, wherever its scripts are."""

from jurybox.cli import main

if __name__ == "__main__":
    main()
