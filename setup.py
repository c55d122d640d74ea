"""What pyproject.toml cannot say: the top-level folder programs/ is installed as dipc.programs."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["dipc*"]), "dipc.programs"],
    package_dir={"dipc.programs": "programs"},
    package_data={"dipc.programs": ["*/*.dip"]},
)
