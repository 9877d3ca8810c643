"""Modules as nested tuples, to compare two of them by everything but identity and spelling."""


def module_structure(module):
    return repr((module.attributes, module.location, [_op(op) for op in module.body.ops]))


def _op(op):
    return (
        op.name,
        [value.name for value in op.operands],
        [_value(value) for value in op.results],
        op.attributes,
        [str(type_) for type_ in op.types],
        op.location,
        [(block.label, [value.name for value in values]) for block, values in op.successors],
        [(region.name, [_block(block) for block in region.blocks]) for region in op.regions],
    )


def _block(block):
    return block.label, [_value(argument) for argument in block.arguments], [_op(op) for op in block.ops]


def _value(value):
    return value.name, str(value.type), value.location, value.index
