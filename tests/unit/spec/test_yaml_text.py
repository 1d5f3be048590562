"""What is written is what YAML reads."""

import pytest
import yaml

from eqtrace.spec.yaml_text import key, mapping, quoted


@pytest.mark.parametrize("text", ["it's", "n", "a: b # c", "'", "", "{x}", "null", r"\frac{a}{b} = 'c'"])
def test_a_text_is_read_back(text):
    assert yaml.safe_load(quoted(text)) == text


def test_names_that_are_words_of_yaml_stay_names():
    values = {"n": "1", "on": "2", "plain": quoted("it's")}
    assert yaml.safe_load(mapping(values)) == {"n": 1, "on": 2, "plain": "it's"}
    assert key("plain") == "plain"
