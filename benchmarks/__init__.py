"""How fast Three Thirteen is, and how fast its peers are, measured side by side: `python -m benchmarks`.

Every figure is the median of several short runs. The runs of all benchmarks are interleaved in time, so that whatever
else the machine does slows them alike. One thread works unless a row says otherwise.

*Random legal play* is sampled the same way wherever it can be: uniformly among the legal actions, and the time that the
sampling takes counts. A Python loop over one game picks from the list of legal actions (`random_play.pick`); a Python
loop over a batch picks from all masks at once with NumPy (`random_play.pick_each`); a compiled loop picks inside it.
OpenSpiel's rollouts and Pgx's loop are compiled with their own sampling, uniform too. A *step* is an action of a seat:
of any seat where the environment serves every seat, of the learner where opponents play inside the step. What chance
does is no step, as in every other library: OpenSpiel also applies an action of chance for every card that is drawn, 24
for every 100 steps.

This package is not installed: it runs from the repository.
"""
