dietmt_test(sample_tests
  SOURCES sample_corpus_test.cpp sample_property_test.cpp sample_sentences_test.cpp
  LIBRARIES dietmt_sample)
