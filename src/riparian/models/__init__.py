"""The models: trees, recipes, forests, restructuring trees and the gradient tree."""
