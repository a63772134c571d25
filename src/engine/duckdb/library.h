// The functions of DuckDB that kith calls. The library is loaded when a database is first opened (DuckDb::Open): it
// takes longer to load than most commands take to run, and many read no data. A function that is missing here is
// missing at link time.
#pragma once
#include <duckdb.h>

#include "base/late_library.h"

namespace kith {

inline constinit LateLibrary duckdb_library{"libduckdb.so"};

template <FunctionName kName, auto* kDeclared>
using OfDuckDb = LateFunction<duckdb_library, kName, kDeclared>;

// clang-format off
inline constexpr OfDuckDb<"duckdb_aggregate_function_add_parameter", ::duckdb_aggregate_function_add_parameter> duckdb_aggregate_function_add_parameter;
inline constexpr OfDuckDb<"duckdb_aggregate_function_set_destructor", ::duckdb_aggregate_function_set_destructor> duckdb_aggregate_function_set_destructor;
inline constexpr OfDuckDb<"duckdb_aggregate_function_set_error", ::duckdb_aggregate_function_set_error> duckdb_aggregate_function_set_error;
inline constexpr OfDuckDb<"duckdb_aggregate_function_set_functions", ::duckdb_aggregate_function_set_functions> duckdb_aggregate_function_set_functions;
inline constexpr OfDuckDb<"duckdb_aggregate_function_set_name", ::duckdb_aggregate_function_set_name> duckdb_aggregate_function_set_name;
inline constexpr OfDuckDb<"duckdb_aggregate_function_set_return_type", ::duckdb_aggregate_function_set_return_type> duckdb_aggregate_function_set_return_type;
inline constexpr OfDuckDb<"duckdb_aggregate_function_set_special_handling", ::duckdb_aggregate_function_set_special_handling> duckdb_aggregate_function_set_special_handling;
inline constexpr OfDuckDb<"duckdb_append_data_chunk", ::duckdb_append_data_chunk> duckdb_append_data_chunk;
inline constexpr OfDuckDb<"duckdb_appender_create", ::duckdb_appender_create> duckdb_appender_create;
inline constexpr OfDuckDb<"duckdb_appender_destroy", ::duckdb_appender_destroy> duckdb_appender_destroy;
inline constexpr OfDuckDb<"duckdb_appender_flush", ::duckdb_appender_flush> duckdb_appender_flush;
inline constexpr OfDuckDb<"duckdb_bind_add_result_column", ::duckdb_bind_add_result_column> duckdb_bind_add_result_column;
inline constexpr OfDuckDb<"duckdb_bind_double", ::duckdb_bind_double> duckdb_bind_double;
inline constexpr OfDuckDb<"duckdb_bind_get_extra_info", ::duckdb_bind_get_extra_info> duckdb_bind_get_extra_info;
inline constexpr OfDuckDb<"duckdb_bind_int64", ::duckdb_bind_int64> duckdb_bind_int64;
inline constexpr OfDuckDb<"duckdb_bind_set_cardinality", ::duckdb_bind_set_cardinality> duckdb_bind_set_cardinality;
inline constexpr OfDuckDb<"duckdb_bind_varchar_length", ::duckdb_bind_varchar_length> duckdb_bind_varchar_length;
inline constexpr OfDuckDb<"duckdb_close", ::duckdb_close> duckdb_close;
inline constexpr OfDuckDb<"duckdb_column_count", ::duckdb_column_count> duckdb_column_count;
inline constexpr OfDuckDb<"duckdb_column_logical_type", ::duckdb_column_logical_type> duckdb_column_logical_type;
inline constexpr OfDuckDb<"duckdb_column_name", ::duckdb_column_name> duckdb_column_name;
inline constexpr OfDuckDb<"duckdb_column_type", ::duckdb_column_type> duckdb_column_type;
inline constexpr OfDuckDb<"duckdb_connect", ::duckdb_connect> duckdb_connect;
inline constexpr OfDuckDb<"duckdb_create_aggregate_function", ::duckdb_create_aggregate_function> duckdb_create_aggregate_function;
inline constexpr OfDuckDb<"duckdb_create_config", ::duckdb_create_config> duckdb_create_config;
inline constexpr OfDuckDb<"duckdb_create_data_chunk", ::duckdb_create_data_chunk> duckdb_create_data_chunk;
inline constexpr OfDuckDb<"duckdb_create_decimal_type", ::duckdb_create_decimal_type> duckdb_create_decimal_type;
inline constexpr OfDuckDb<"duckdb_create_list_type", ::duckdb_create_list_type> duckdb_create_list_type;
inline constexpr OfDuckDb<"duckdb_create_logical_type", ::duckdb_create_logical_type> duckdb_create_logical_type;
inline constexpr OfDuckDb<"duckdb_create_scalar_function", ::duckdb_create_scalar_function> duckdb_create_scalar_function;
inline constexpr OfDuckDb<"duckdb_create_table_function", ::duckdb_create_table_function> duckdb_create_table_function;
inline constexpr OfDuckDb<"duckdb_data_chunk_get_size", ::duckdb_data_chunk_get_size> duckdb_data_chunk_get_size;
inline constexpr OfDuckDb<"duckdb_data_chunk_get_vector", ::duckdb_data_chunk_get_vector> duckdb_data_chunk_get_vector;
inline constexpr OfDuckDb<"duckdb_data_chunk_set_size", ::duckdb_data_chunk_set_size> duckdb_data_chunk_set_size;
inline constexpr OfDuckDb<"duckdb_decimal_internal_type", ::duckdb_decimal_internal_type> duckdb_decimal_internal_type;
inline constexpr OfDuckDb<"duckdb_decimal_scale", ::duckdb_decimal_scale> duckdb_decimal_scale;
inline constexpr OfDuckDb<"duckdb_destroy_aggregate_function", ::duckdb_destroy_aggregate_function> duckdb_destroy_aggregate_function;
inline constexpr OfDuckDb<"duckdb_destroy_config", ::duckdb_destroy_config> duckdb_destroy_config;
inline constexpr OfDuckDb<"duckdb_destroy_data_chunk", ::duckdb_destroy_data_chunk> duckdb_destroy_data_chunk;
inline constexpr OfDuckDb<"duckdb_destroy_extracted", ::duckdb_destroy_extracted> duckdb_destroy_extracted;
inline constexpr OfDuckDb<"duckdb_destroy_logical_type", ::duckdb_destroy_logical_type> duckdb_destroy_logical_type;
inline constexpr OfDuckDb<"duckdb_destroy_pending", ::duckdb_destroy_pending> duckdb_destroy_pending;
inline constexpr OfDuckDb<"duckdb_destroy_prepare", ::duckdb_destroy_prepare> duckdb_destroy_prepare;
inline constexpr OfDuckDb<"duckdb_destroy_result", ::duckdb_destroy_result> duckdb_destroy_result;
inline constexpr OfDuckDb<"duckdb_destroy_scalar_function", ::duckdb_destroy_scalar_function> duckdb_destroy_scalar_function;
inline constexpr OfDuckDb<"duckdb_destroy_table_function", ::duckdb_destroy_table_function> duckdb_destroy_table_function;
inline constexpr OfDuckDb<"duckdb_disconnect", ::duckdb_disconnect> duckdb_disconnect;
inline constexpr OfDuckDb<"duckdb_execute_pending", ::duckdb_execute_pending> duckdb_execute_pending;
inline constexpr OfDuckDb<"duckdb_execute_prepared", ::duckdb_execute_prepared> duckdb_execute_prepared;
inline constexpr OfDuckDb<"duckdb_extract_statements", ::duckdb_extract_statements> duckdb_extract_statements;
inline constexpr OfDuckDb<"duckdb_extract_statements_error", ::duckdb_extract_statements_error> duckdb_extract_statements_error;
inline constexpr OfDuckDb<"duckdb_fetch_chunk", ::duckdb_fetch_chunk> duckdb_fetch_chunk;
inline constexpr OfDuckDb<"duckdb_free", ::duckdb_free> duckdb_free;
inline constexpr OfDuckDb<"duckdb_function_get_extra_info", ::duckdb_function_get_extra_info> duckdb_function_get_extra_info;
inline constexpr OfDuckDb<"duckdb_function_get_init_data", ::duckdb_function_get_init_data> duckdb_function_get_init_data;
inline constexpr OfDuckDb<"duckdb_function_get_local_init_data", ::duckdb_function_get_local_init_data> duckdb_function_get_local_init_data;
inline constexpr OfDuckDb<"duckdb_function_set_error", ::duckdb_function_set_error> duckdb_function_set_error;
inline constexpr OfDuckDb<"duckdb_get_type_id", ::duckdb_get_type_id> duckdb_get_type_id;
inline constexpr OfDuckDb<"duckdb_init_get_column_count", ::duckdb_init_get_column_count> duckdb_init_get_column_count;
inline constexpr OfDuckDb<"duckdb_init_get_column_index", ::duckdb_init_get_column_index> duckdb_init_get_column_index;
inline constexpr OfDuckDb<"duckdb_init_get_extra_info", ::duckdb_init_get_extra_info> duckdb_init_get_extra_info;
inline constexpr OfDuckDb<"duckdb_init_set_error", ::duckdb_init_set_error> duckdb_init_set_error;
inline constexpr OfDuckDb<"duckdb_init_set_init_data", ::duckdb_init_set_init_data> duckdb_init_set_init_data;
inline constexpr OfDuckDb<"duckdb_init_set_max_threads", ::duckdb_init_set_max_threads> duckdb_init_set_max_threads;
inline constexpr OfDuckDb<"duckdb_interrupt", ::duckdb_interrupt> duckdb_interrupt;
inline constexpr OfDuckDb<"duckdb_library_version", ::duckdb_library_version> duckdb_library_version;
inline constexpr OfDuckDb<"duckdb_list_vector_get_child", ::duckdb_list_vector_get_child> duckdb_list_vector_get_child;
inline constexpr OfDuckDb<"duckdb_list_vector_get_size", ::duckdb_list_vector_get_size> duckdb_list_vector_get_size;
inline constexpr OfDuckDb<"duckdb_list_vector_reserve", ::duckdb_list_vector_reserve> duckdb_list_vector_reserve;
inline constexpr OfDuckDb<"duckdb_list_vector_set_size", ::duckdb_list_vector_set_size> duckdb_list_vector_set_size;
inline constexpr OfDuckDb<"duckdb_nparams", ::duckdb_nparams> duckdb_nparams;
inline constexpr OfDuckDb<"duckdb_open_ext", ::duckdb_open_ext> duckdb_open_ext;
inline constexpr OfDuckDb<"duckdb_pending_error", ::duckdb_pending_error> duckdb_pending_error;
inline constexpr OfDuckDb<"duckdb_pending_prepared_streaming", ::duckdb_pending_prepared_streaming> duckdb_pending_prepared_streaming;
inline constexpr OfDuckDb<"duckdb_prepare", ::duckdb_prepare> duckdb_prepare;
inline constexpr OfDuckDb<"duckdb_prepare_error", ::duckdb_prepare_error> duckdb_prepare_error;
inline constexpr OfDuckDb<"duckdb_prepare_extracted_statement", ::duckdb_prepare_extracted_statement> duckdb_prepare_extracted_statement;
inline constexpr OfDuckDb<"duckdb_prepared_statement_type", ::duckdb_prepared_statement_type> duckdb_prepared_statement_type;
inline constexpr OfDuckDb<"duckdb_query", ::duckdb_query> duckdb_query;
inline constexpr OfDuckDb<"duckdb_register_aggregate_function", ::duckdb_register_aggregate_function> duckdb_register_aggregate_function;
inline constexpr OfDuckDb<"duckdb_register_scalar_function", ::duckdb_register_scalar_function> duckdb_register_scalar_function;
inline constexpr OfDuckDb<"duckdb_register_table_function", ::duckdb_register_table_function> duckdb_register_table_function;
inline constexpr OfDuckDb<"duckdb_result_error", ::duckdb_result_error> duckdb_result_error;
inline constexpr OfDuckDb<"duckdb_row_count", ::duckdb_row_count> duckdb_row_count;
inline constexpr OfDuckDb<"duckdb_rows_changed", ::duckdb_rows_changed> duckdb_rows_changed;
inline constexpr OfDuckDb<"duckdb_scalar_function_add_parameter", ::duckdb_scalar_function_add_parameter> duckdb_scalar_function_add_parameter;
inline constexpr OfDuckDb<"duckdb_scalar_function_get_extra_info", ::duckdb_scalar_function_get_extra_info> duckdb_scalar_function_get_extra_info;
inline constexpr OfDuckDb<"duckdb_scalar_function_set_error", ::duckdb_scalar_function_set_error> duckdb_scalar_function_set_error;
inline constexpr OfDuckDb<"duckdb_scalar_function_set_extra_info", ::duckdb_scalar_function_set_extra_info> duckdb_scalar_function_set_extra_info;
inline constexpr OfDuckDb<"duckdb_scalar_function_set_function", ::duckdb_scalar_function_set_function> duckdb_scalar_function_set_function;
inline constexpr OfDuckDb<"duckdb_scalar_function_set_name", ::duckdb_scalar_function_set_name> duckdb_scalar_function_set_name;
inline constexpr OfDuckDb<"duckdb_scalar_function_set_return_type", ::duckdb_scalar_function_set_return_type> duckdb_scalar_function_set_return_type;
inline constexpr OfDuckDb<"duckdb_scalar_function_set_special_handling", ::duckdb_scalar_function_set_special_handling> duckdb_scalar_function_set_special_handling;
inline constexpr OfDuckDb<"duckdb_scalar_function_set_volatile", ::duckdb_scalar_function_set_volatile> duckdb_scalar_function_set_volatile;
inline constexpr OfDuckDb<"duckdb_set_config", ::duckdb_set_config> duckdb_set_config;
inline constexpr OfDuckDb<"duckdb_string_t_data", ::duckdb_string_t_data> duckdb_string_t_data;
inline constexpr OfDuckDb<"duckdb_string_t_length", ::duckdb_string_t_length> duckdb_string_t_length;
inline constexpr OfDuckDb<"duckdb_table_function_set_bind", ::duckdb_table_function_set_bind> duckdb_table_function_set_bind;
inline constexpr OfDuckDb<"duckdb_table_function_set_extra_info", ::duckdb_table_function_set_extra_info> duckdb_table_function_set_extra_info;
inline constexpr OfDuckDb<"duckdb_table_function_set_function", ::duckdb_table_function_set_function> duckdb_table_function_set_function;
inline constexpr OfDuckDb<"duckdb_table_function_set_init", ::duckdb_table_function_set_init> duckdb_table_function_set_init;
inline constexpr OfDuckDb<"duckdb_table_function_set_local_init", ::duckdb_table_function_set_local_init> duckdb_table_function_set_local_init;
inline constexpr OfDuckDb<"duckdb_table_function_set_name", ::duckdb_table_function_set_name> duckdb_table_function_set_name;
inline constexpr OfDuckDb<"duckdb_table_function_supports_projection_pushdown", ::duckdb_table_function_supports_projection_pushdown> duckdb_table_function_supports_projection_pushdown;
inline constexpr OfDuckDb<"duckdb_validity_row_is_valid", ::duckdb_validity_row_is_valid> duckdb_validity_row_is_valid;
inline constexpr OfDuckDb<"duckdb_validity_set_row_invalid", ::duckdb_validity_set_row_invalid> duckdb_validity_set_row_invalid;
inline constexpr OfDuckDb<"duckdb_value_boolean", ::duckdb_value_boolean> duckdb_value_boolean;
inline constexpr OfDuckDb<"duckdb_value_double", ::duckdb_value_double> duckdb_value_double;
inline constexpr OfDuckDb<"duckdb_value_int64", ::duckdb_value_int64> duckdb_value_int64;
inline constexpr OfDuckDb<"duckdb_value_is_null", ::duckdb_value_is_null> duckdb_value_is_null;
inline constexpr OfDuckDb<"duckdb_value_varchar", ::duckdb_value_varchar> duckdb_value_varchar;
inline constexpr OfDuckDb<"duckdb_vector_assign_string_element_len", ::duckdb_vector_assign_string_element_len> duckdb_vector_assign_string_element_len;
inline constexpr OfDuckDb<"duckdb_vector_ensure_validity_writable", ::duckdb_vector_ensure_validity_writable> duckdb_vector_ensure_validity_writable;
inline constexpr OfDuckDb<"duckdb_vector_get_data", ::duckdb_vector_get_data> duckdb_vector_get_data;
inline constexpr OfDuckDb<"duckdb_vector_get_validity", ::duckdb_vector_get_validity> duckdb_vector_get_validity;
inline constexpr OfDuckDb<"duckdb_vector_size", ::duckdb_vector_size> duckdb_vector_size;
// clang-format on

}  // namespace kith
