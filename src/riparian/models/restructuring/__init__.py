"""Trees that revise themselves after every example: ID3', ID4, ID5R and ITI, and ID3 itself.

They have engines of their own and the methods of the streaming trees. ID5R and ITI keep their
examples. They always equal the tree that the batch learner would build from these examples, in any
order. ``docs/restructuring.md`` explains when that is worth its price.
"""
