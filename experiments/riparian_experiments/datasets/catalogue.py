"""The catalogue of the data sets: columns, classes, addresses and checksums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from riparian.errors import one_of

__all__ = ["ALIASES", "DATASETS", "Dataset", "Original", "find_dataset"]

Layout: TypeAlias = Literal["comma", "spaces", "arff", "libsvm"]

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"
_UCI_LICENCE = "CC BY 4.0, the general terms of the UCI repository"
_GROUPED = "grouped by class"


@dataclass(frozen=True)
class Original:
    """A published file. `sha256` is given only if it is published or was verified."""

    url: str
    sha256: str | None = None
    #: The member of a zip archive.
    member: str | None = None


@dataclass(frozen=True)
class Dataset:
    """The description of a data set.

    Attributes
    ----------
    name : str
        The name, as in ``dataset:NAME``.
    rows : int
        Number of rows.
    features : tuple of str
        The columns, in order, without the class, which is ``target``.
    nominal : tuple of str
        The categorical features.
    classes : mapping of str to int
        Number of rows of each class, by its text in the file.
    source : str
        The origin of the data.
    licence : str
        The licence, as far as it is known.
    order : str
        A description of the order of the rows.
    grouped : bool
        Whether the rows are grouped by class, so that they must be shuffled before streaming.
    originals : tuple of Original
        The published files, in order.
    sha256 : str or None
        Checksum of the CSV inside ``NAME.csv.gz``, or None if it is not known.
    """

    name: str
    rows: int
    features: tuple[str, ...]
    classes: Mapping[str, int]
    source: str
    licence: str
    originals: tuple[Original, ...]
    sha256: str | None
    nominal: tuple[str, ...] = ()
    order: str = "as published"
    layout: Layout = field(default="comma", repr=False)
    #: Number of lines before the first row, and of columns before the first feature.
    skip_lines: int = field(default=0, repr=False)
    skip_columns: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", MappingProxyType(dict(self.classes)))

    @property
    def grouped(self) -> bool:
        return self.order == _GROUPED

    @property
    def file(self) -> str:
        """The name of the file in a folder of data sets."""
        return f"{self.name}.csv.gz"


def _uci(path: str, sha256: str | None = None, member: str | None = None) -> Original:
    return Original(f"{_UCI}/{path}", sha256, member)


def _numbered(stem: str, n: int) -> tuple[str, ...]:
    return tuple(f"{stem}{i}" for i in range(1, n + 1))


_COVERTYPE = (
    *("Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology"),
    *("Vertical_Distance_To_Hydrology", "Horizontal_Distance_To_Roadways"),
    *("Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm", "Horizontal_Distance_To_Fire_Points"),
)
_AREAS = _numbered("Wilderness_Area", 4) + _numbered("Soil_Type", 40)

_LISTED = (
    Dataset(
        name="elec2",
        rows=45_312,
        features=(
            *("date", "day", "period", "nswprice", "nswdemand", "vicprice", "vicdemand"),
            "transfer",
        ),
        nominal=("day",),
        classes={"DOWN": 26_075, "UP": 19_237},
        source="M. Harries, SPLICE-2 comparative evaluation: electricity pricing, UNSW 1999; "
        "normalised by J. Gama",
        licence="none stated; OpenML lists it as public",
        originals=(Original("https://api.openml.org/data/v1/download/2419/electricity.arff"),),
        sha256="fbde06989e7a8df2b7cfe3fb50989b2e50c893d7dd1944ce963425d00651afb5",
        order="chronological",
        layout="arff",
    ),
    Dataset(
        name="covertype",
        rows=581_012,
        features=_COVERTYPE + _AREAS,
        nominal=_AREAS,
        classes={
            "1": 211_840,
            "2": 283_301,
            "3": 35_754,
            "4": 2_747,
            "5": 9_493,
            "6": 17_367,
            "7": 20_510,
        },
        source="J. Blackard and D. Dean, Covertype, UCI 1998, © Jock A. Blackard and Colorado "
        "State University",
        licence=f"{_UCI_LICENCE}; the copyright notice is to be retained",
        originals=(
            # The copy of UCI's covtype.data.gz that scikit-learn downloads, with its sha256.
            Original(
                "https://ndownloader.figshare.com/files/5976039",
                "614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771",
            ),
        ),
        sha256="f0d34e40fafb38cdcbc48cc8c8bf7bdeb3c4a55503b0e430153cb41c94717429",
        order="by place: neighbouring rows are alike",
    ),
    Dataset(
        name="adult",
        rows=48_842,
        features=(
            *("age", "workclass", "fnlwgt", "education", "education_num", "marital_status"),
            *("occupation", "relationship", "race", "sex", "capital_gain", "capital_loss"),
            *("hours_per_week", "native_country"),
        ),
        nominal=(
            *("workclass", "education", "marital_status", "occupation", "relationship", "race"),
            *("sex", "native_country"),
        ),
        classes={"<=50K": 37_155, ">50K": 11_687},
        source="R. Kohavi and B. Becker, Adult, UCI 1996",
        licence=_UCI_LICENCE,
        originals=(
            _uci(
                "adult/adult.data",
                "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            ),
            _uci(
                "adult/adult.test",
                "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            ),
        ),
        sha256="2c5d434d4ddc797739c2d2af6bdb4f7c16a402b60567986ee7be441bbf2c6427",
        order="the training part, then the test part, each as published",
    ),
    Dataset(
        name="a9a",
        rows=48_842,
        features=_numbered("f", 123),
        nominal=_numbered("f", 123),
        classes={"-1": 37_155, "1": 11_687},
        source="J. Platt's encoding of Adult, LIBSVM Data",
        licence=f"none stated for the encoding; Adult: {_UCI_LICENCE}",
        originals=(Original(f"{_LIBSVM}/a9a"), Original(f"{_LIBSVM}/a9a.t")),
        sha256="973cea33f98b20a040835db5f8fde7d7849fc9662249b2d20b96481a8a5fbb59",
        order="the rows of adult",
        layout="libsvm",
    ),
    Dataset(
        name="cod_rna",
        rows=331_152,
        features=_numbered("f", 8),
        classes={"-1": 220_768, "1": 110_384},
        source="A. Uzilov, J. Keegan, D. Mathews, BMC Bioinformatics 7:173, 2006; LIBSVM Data, "
        "training and test part without cod-rna.r",
        licence="none stated",
        originals=(Original(f"{_LIBSVM}/cod-rna"), Original(f"{_LIBSVM}/cod-rna.t")),
        sha256="9b5f7adf88ebdd8d1e05591677fcb348c9f87bd2de3d333f9be8f296282c58d5",
        order=_GROUPED,
        layout="libsvm",
    ),
    Dataset(
        name="magic",
        rows=19_020,
        features=(
            *("fLength", "fWidth", "fSize", "fConc", "fConc1", "fAsym", "fM3Long", "fM3Trans"),
            *("fAlpha", "fDist"),
        ),
        classes={"g": 12_332, "h": 6_688},
        source="R. Bock, MAGIC Gamma Telescope, UCI 2004",
        licence=_UCI_LICENCE,
        originals=(_uci("magic/magic04.data"),),
        sha256="aac527ac143802b4818274e241f894cb9f4d35040b4abd14454239cea4ee1930",
        order=_GROUPED,
    ),
    Dataset(
        name="htru2",
        rows=17_898,
        features=tuple(
            f"{part}_{moment}"
            for part in ("profile", "dmsnr")
            for moment in ("mean", "std", "kurtosis", "skewness")
        ),
        classes={"0": 16_259, "1": 1_639},
        source="R. Lyon et al., HTRU2, UCI 2016",
        licence=_UCI_LICENCE,
        originals=(_uci("00372/HTRU2.zip", member="HTRU_2.csv"),),
        sha256="80f47dd45bf563a10a7900f76d34c6d15292a281d03bba211c4a932356c7dfeb",
    ),
    Dataset(
        name="transfusion",
        rows=748,
        features=("recency", "frequency", "monetary", "time"),
        classes={"0": 570, "1": 178},
        source="I-C. Yeh, Blood Transfusion Service Center, UCI 2008",
        licence=_UCI_LICENCE,
        originals=(_uci("blood-transfusion/transfusion.data"),),
        sha256="af0de5c85d37b34248008a4086a287141846113968b9136abe9360f4377b2d7a",
        skip_lines=1,
    ),
    Dataset(
        name="wifi",
        rows=2_000,
        features=_numbered("ap", 7),
        classes={"1": 500, "2": 500, "3": 500, "4": 500},
        source="R. Bhatt, Wireless Indoor Localization, UCI 2017",
        licence=_UCI_LICENCE,
        originals=(_uci("00422/wifi_localization.txt"),),
        sha256="2e79d441071e2300d1decc3e7ef06ff3aff122fad5be8410a141b0609affe380",
        order=_GROUPED,
        layout="spaces",
    ),
    Dataset(
        name="iris",
        rows=150,
        features=("sepal_length", "sepal_width", "petal_length", "petal_width"),
        classes={"Iris-setosa": 50, "Iris-versicolor": 50, "Iris-virginica": 50},
        source="R. Fisher, Iris, UCI 1936; two rows differ from scikit-learn's",
        licence=_UCI_LICENCE,
        originals=(
            _uci(
                "iris/iris.data",
                "6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0",
            ),
        ),
        sha256="055ccf14f3a4baf85d9c3ce06f0af554030fd0956750b8c9d49295f22b028059",
        order=_GROUPED,
    ),
    Dataset(
        name="seeds",
        rows=210,
        features=(
            *("area", "perimeter", "compactness", "kernel_length", "kernel_width"),
            *("asymmetry", "groove_length"),
        ),
        classes={"1": 70, "2": 70, "3": 70},
        source="M. Charytanowicz et al., Seeds, UCI 2010",
        licence=_UCI_LICENCE,
        originals=(_uci("00236/seeds_dataset.txt"),),
        sha256="eb0bb4c97db8c54ec8e89af58cdbf3fc67e47fa92a66c9070fa890245accc15e",
        order=_GROUPED,
        layout="spaces",
    ),
    Dataset(
        name="ecoli",
        rows=336,
        features=("mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2"),
        classes={
            "cp": 143,
            "im": 77,
            "imL": 2,
            "imS": 2,
            "imU": 35,
            "om": 20,
            "omL": 5,
            "pp": 52,
        },
        source="K. Nakai and P. Horton, Ecoli, UCI 1996, without the names of the sequences",
        licence=_UCI_LICENCE,
        originals=(_uci("ecoli/ecoli.data"),),
        sha256="93fbbd0d5e65ca111027fb8c9db6de0b49eb679022c4cd4d1e9fffdce10aea07",
        order=_GROUPED,
        layout="spaces",
        skip_columns=1,
    ),
    Dataset(
        name="airlines",
        rows=539_383,
        features=(
            *("Airline", "Flight", "AirportFrom", "AirportTo", "DayOfWeek", "Time", "Length"),
        ),
        nominal=("Airline", "AirportFrom", "AirportTo", "DayOfWeek"),
        classes={"0": 299_119, "1": 240_264},
        source="A. Bifet and E. Ikonomovska, Data Expo 2009: airlines, OpenML 1169",
        licence="none stated; OpenML lists it as public",
        originals=(Original("https://api.openml.org/data/v1/download/66526/airlines.arff"),),
        sha256=None,
        order="chronological",
        layout="arff",
    ),
)

#: The data sets by name.
DATASETS: dict[str, Dataset] = {dataset.name: dataset for dataset in _LISTED}

#: Other names of data sets.
ALIASES = {"electricity": "elec2", "covtype": "covertype"}


def find_dataset(name: str) -> Dataset:
    """Return the data set with a name. Hyphens count as underscores."""
    wanted = name.replace("-", "_") if isinstance(name, str) else name
    return DATASETS[ALIASES.get(wanted) or one_of("name", wanted, [*DATASETS, *ALIASES])]
