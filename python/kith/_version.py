"""The version of the package; tools/check_versions.py holds it to that of CMakeLists.txt."""

__version__ = "0.1.0"
