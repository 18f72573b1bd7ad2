"""The schemas of bodies and answers, for description.py."""

from __future__ import annotations

from typing import Any

__all__ = ["SCHEMAS"]

SCHEMAS: dict[str, Any] = {
    "Value": {"type": ["string", "number", "boolean", "null"]},
    "Features": {
        "type": "object",
        "additionalProperties": {"$ref": "#/components/schemas/Value"},
        "description": "Values by the names of features; null is missing. "
        "Unknown names are ignored.",
    },
    "Label": {"type": ["string", "integer", "boolean"]},
    "PredictBody": {
        "type": "object",
        "properties": {
            "features": {"$ref": "#/components/schemas/Features"},
            "rows": {"type": "array", "items": {"$ref": "#/components/schemas/Features"}},
            "id": {"type": ["string", "null"], "maxLength": 256},
            "proba": {"type": "boolean"},
            "remember": {"type": ["boolean", "null"]},
        },
    },
    "Prediction": {
        "type": "object",
        "required": ["model"],
        "properties": {
            "id": {"type": "string"},
            "label": {"type": ["string", "number", "boolean", "null"]},
            "labels": {"type": "array"},
            "proba": {"type": "object"},
            "model": {"$ref": "#/components/schemas/Model"},
        },
    },
    "Model": {
        "type": "object",
        "required": ["name", "generation", "rows"],
        "properties": {
            "name": {"type": "string"},
            "generation": {"type": "integer"},
            "rows": {"type": "integer"},
        },
    },
    "ExplainBody": {
        "type": "object",
        "required": ["features"],
        "properties": {"features": {"$ref": "#/components/schemas/Features"}},
    },
    "Explanation": {"type": "object", "required": ["label", "proba", "steps", "model"]},
    "LearnRow": {
        "type": "object",
        "required": ["features", "label"],
        "properties": {
            "features": {"$ref": "#/components/schemas/Features"},
            "label": {"$ref": "#/components/schemas/Label"},
        },
    },
    "LearnBody": {
        "type": "object",
        "properties": {
            "features": {"$ref": "#/components/schemas/Features"},
            "label": {"$ref": "#/components/schemas/Label"},
            "rows": {"type": "array", "items": {"$ref": "#/components/schemas/LearnRow"}},
        },
    },
    "LateLabel": {
        "type": "object",
        "required": ["id", "label"],
        "properties": {
            "id": {"type": "string", "minLength": 1, "maxLength": 256},
            "label": {"$ref": "#/components/schemas/Label"},
            "weight": {"type": "number", "exclusiveMinimum": 0},
        },
    },
    "Accepted": {
        "type": "object",
        "required": ["accepted"],
        "properties": {"accepted": {"type": "integer"}},
    },
    "NewGeneration": {
        "type": "object",
        "required": ["generation", "rows"],
        "properties": {"generation": {"type": "integer"}, "rows": {"type": "integer"}},
    },
    "Inference": {
        "type": "object",
        "required": ["inputs"],
        "properties": {
            "id": {"type": "string"},
            "inputs": {"type": "array", "items": {"$ref": "#/components/schemas/Tensor"}},
            "outputs": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": {"enum": ["label", "proba"]}},
                },
            },
            "parameters": {"type": "object"},
        },
    },
    "Tensor": {
        "type": "object",
        "required": ["name", "shape", "datatype", "data"],
        "properties": {
            "name": {"type": "string"},
            "shape": {"type": "array", "items": {"type": "integer"}},
            "datatype": {"type": "string"},
            "data": {"type": "array"},
            "parameters": {"type": "object"},
        },
    },
    "Problem": {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                    "row": {"type": "integer"},
                    "column": {"type": "string"},
                },
            }
        },
    },
}
