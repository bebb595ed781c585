// Reads the compact rows of the lexicon tables: words separated by blanks, '|' between paradigms.
#pragma once

#include <string>
#include <vector>

#include "data/sample/lexicon.h"

namespace dietmt::data {

std::vector<std::string> split(const std::string& text, char separator);

/// "auf+A" -> {"auf", accusative}; "D" -> {"", dative}. Letters: N G D A V L I.
Government government(const std::string& text);

/// "m Mann Mannes Mann Mann Männer Männern": gender, singular N G D A, plural, plural dative.
GermanNoun german_noun(const std::string& row);

/// "a muž muže ...|muži mužů ...": gender a i f n (of the plural too, where it differs: "nf").
CzechNoun czech_noun(const std::string& row);

/// "buy buys bought bought buying" and a tail.
EnglishVerb english_verb(const std::string& row, const std::string& tail);

/// "kaufen kaufe kaufst kauft kauft kaufte gekauft" and properties: "an-" (separable prefix),
/// "sein", "sich", a government.
GermanVerb german_verb(const std::string& row, const std::string& properties);

/// "koupit koupím koupíš koupí koupíme koupíte koupí koupil"; an empty row gives empty forms.
CzechVerbForms czech_forms(const std::string& row);

/// Properties: "se" or "si", a government.
CzechVerb czech_verb(const std::string& imperfective, const std::string& perfective,
                     const std::string& properties);

}  // namespace dietmt::data
