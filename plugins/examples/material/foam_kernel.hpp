#pragma once

#include "kelvin_voigt.hpp"

#include <floe/sdk/records.h>

/// The stresses of a batch in a CUDA device's memory, enqueued on its stream. Only in builds with
/// CUDA.
floe_status updateOnCuda(const KelvinVoigt& law, const floe_device& device,
                         const floe_material_batch& batch);
