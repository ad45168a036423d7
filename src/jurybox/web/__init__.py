"""The web app of one study: ``app.create_app`` gives it, ``static`` and ``templates`` draw it."""
