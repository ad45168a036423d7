"""Human evaluation of generative models, from study.yaml to a table you can publish."""
