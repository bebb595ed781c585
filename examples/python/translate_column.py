"""Translates a column of a CSV file: translate_column.py MODEL IN.csv COLUMN OUT.csv"""
import sys

import dietmt
import pandas


def main():
    model, source, column, target = sys.argv[1:]
    translator = dietmt.Translator(model)
    table = pandas.read_csv(source)
    translations = translator.translate(table[column].fillna("").astype(str).tolist())
    table[column + "_translated"] = [translation.text for translation in translations]
    table[column + "_score"] = [translation.score for translation in translations]
    table.to_csv(target, index=False)


if __name__ == "__main__":
    main()
