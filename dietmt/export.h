// Marks what libdietmt.so exports; everything else in it is hidden.
#pragma once

#define DIETMT_API __attribute__((visibility("default")))
