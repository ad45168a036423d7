"""How far raters agree: alpha, kappas, intraclass correlations, rankings, marked spans."""
