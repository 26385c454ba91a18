// Stands in for the header that Ollama's Go module lacks: every recording is
// refused, as the tests send none.
#pragma once
#include <cstddef>
#include <cstdint>
typedef int ma_result;
typedef uint64_t ma_uint64;
enum { MA_SUCCESS = 0, MA_ERROR = -1 };
enum ma_format { ma_format_f32 };
struct ma_decoder_config {};
struct ma_decoder {};
inline ma_decoder_config ma_decoder_config_init(ma_format, uint32_t, uint32_t) { return {}; }
inline ma_result ma_decoder_init_memory(const void *, size_t, const ma_decoder_config *, ma_decoder *) { return MA_ERROR; }
inline ma_result ma_decoder_get_length_in_pcm_frames(ma_decoder *, ma_uint64 *) { return MA_ERROR; }
inline ma_result ma_decoder_read_pcm_frames(ma_decoder *, void *, ma_uint64, ma_uint64 *) { return MA_ERROR; }
inline ma_result ma_decoder_uninit(ma_decoder *) { return MA_SUCCESS; }
