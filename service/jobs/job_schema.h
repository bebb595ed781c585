// The tables of the job queue and how older ones become those of today.
#pragma once

#include "service/jobs/sql_database.h"

namespace dietmt::service {

/// Makes the tables, or brings those of an older version up to date. Throws Error if they are of a
/// newer one.
void set_up_job_schema(SqlDatabase& database);

}  // namespace dietmt::service
