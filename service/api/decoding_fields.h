// The decoding options of /v1/translate: those of `dietmt translate`, with underscores.
#pragma once

#include "nmt/search/search_options.h"
#include "service/api/fields.h"
#include "service/api/service_limits.h"

namespace dietmt::service {

/// Names of all fields that search_options() reads.
const std::vector<std::string_view>& decoding_field_names();

/// Throws HttpError 400 with the name of the field.
nmt::SearchOptions search_options(const Fields& fields, const ServiceLimits& limits);

}  // namespace dietmt::service
