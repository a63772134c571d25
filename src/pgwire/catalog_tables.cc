// The catalogs of PostgreSQL as tables: those that clients read, with the columns that they read. What this server
// lacks (indexes, triggers, roles of a database) is a table without rows.
#include <fmt/format.h>

#include "pgwire/catalog.h"
#include "sql/quote.h"

namespace kith::pgwire {
namespace {

constexpr int kFirstTable = 16384, kPublic = 2200, kOwner = 10;

// Most of these stay empty.
constexpr const char* kTables[] = {
    "CREATE TABLE pg_namespace (oid BIGINT, nspname VARCHAR, nspowner BIGINT, nspacl VARCHAR[], tableoid BIGINT)",
    R"(CREATE TABLE pg_class (oid BIGINT, relname VARCHAR, relnamespace BIGINT, reltype BIGINT, reloftype BIGINT,
       relowner BIGINT, relam BIGINT, relfilenode BIGINT, reltablespace BIGINT, relpages BIGINT, reltuples DOUBLE,
       relallvisible BIGINT, reltoastrelid BIGINT, relhasindex BOOLEAN, relisshared BOOLEAN, relpersistence VARCHAR,
       relkind VARCHAR, relnatts INTEGER, relchecks INTEGER, relhasrules BOOLEAN, relhastriggers BOOLEAN,
       relhassubclass BOOLEAN, relrowsecurity BOOLEAN, relforcerowsecurity BOOLEAN, relispopulated BOOLEAN,
       relreplident VARCHAR, relispartition BOOLEAN, relrewrite BIGINT, relfrozenxid BIGINT, relminmxid BIGINT,
       relacl VARCHAR[], reloptions VARCHAR[], relpartbound VARCHAR, relhasoids BOOLEAN, tableoid BIGINT))",
    R"(CREATE TABLE pg_attribute (attrelid BIGINT, attname VARCHAR, atttypid BIGINT, attstattarget INTEGER,
       attlen INTEGER, attnum INTEGER, attndims INTEGER, attcacheoff INTEGER, atttypmod INTEGER, attbyval BOOLEAN,
       attstorage VARCHAR, attalign VARCHAR, attnotnull BOOLEAN, atthasdef BOOLEAN, atthasmissing BOOLEAN,
       attidentity VARCHAR, attgenerated VARCHAR, attisdropped BOOLEAN, attislocal BOOLEAN, attinhcount INTEGER,
       attcollation BIGINT, attcompression VARCHAR, attacl VARCHAR[], attoptions VARCHAR[], attfdwoptions VARCHAR[],
       attmissingval VARCHAR))",
    R"(CREATE TABLE pg_type (oid BIGINT, typname VARCHAR, typnamespace BIGINT, typowner BIGINT, typlen INTEGER,
       typbyval BOOLEAN, typtype VARCHAR, typcategory VARCHAR, typispreferred BOOLEAN, typisdefined BOOLEAN,
       typdelim VARCHAR, typrelid BIGINT, typsubscript VARCHAR, typelem BIGINT, typarray BIGINT, typinput VARCHAR,
       typoutput VARCHAR, typreceive VARCHAR, typsend VARCHAR, typmodin VARCHAR, typmodout VARCHAR,
       typanalyze VARCHAR, typalign VARCHAR, typstorage VARCHAR, typnotnull BOOLEAN, typbasetype BIGINT,
       typtypmod INTEGER, typndims INTEGER, typcollation BIGINT, typdefaultbin VARCHAR, typdefault VARCHAR,
       typacl VARCHAR[], tableoid BIGINT))",
    R"(CREATE TABLE pg_database (oid BIGINT, datname VARCHAR, datdba BIGINT, encoding INTEGER, datlocprovider VARCHAR,
       datistemplate BOOLEAN, datallowconn BOOLEAN, datconnlimit INTEGER, datfrozenxid BIGINT, datminmxid BIGINT,
       dattablespace BIGINT, datcollate VARCHAR, datctype VARCHAR, daticulocale VARCHAR, datcollversion VARCHAR,
       datacl VARCHAR[], tableoid BIGINT))",
    R"(CREATE TABLE pg_roles (oid BIGINT, rolname VARCHAR, rolsuper BOOLEAN, rolinherit BOOLEAN,
       rolcreaterole BOOLEAN, rolcreatedb BOOLEAN, rolcanlogin BOOLEAN, rolreplication BOOLEAN, rolconnlimit INTEGER,
       rolpassword VARCHAR, rolvaliduntil TIMESTAMP, rolbypassrls BOOLEAN, rolconfig VARCHAR[]))",
    "CREATE VIEW pg_authid AS SELECT * FROM pg_roles",
    R"(CREATE VIEW pg_user AS SELECT rolname AS usename, oid AS usesysid, rolcreatedb AS usecreatedb,
       rolsuper AS usesuper FROM pg_roles)",
    "CREATE TABLE pg_auth_members (roleid BIGINT, member BIGINT, grantor BIGINT, admin_option BOOLEAN)",
    R"(CREATE TABLE pg_db_role_setting (setdatabase BIGINT, setrole BIGINT, setconfig VARCHAR[]))",
    "CREATE TABLE pg_description (objoid BIGINT, classoid BIGINT, objsubid INTEGER, description VARCHAR)",
    "CREATE TABLE pg_shdescription (objoid BIGINT, classoid BIGINT, description VARCHAR)",
    "CREATE TABLE pg_attrdef (oid BIGINT, adrelid BIGINT, adnum INTEGER, adbin VARCHAR)",
    R"(CREATE TABLE pg_constraint (oid BIGINT, conname VARCHAR, connamespace BIGINT, contype VARCHAR,
       condeferrable BOOLEAN, condeferred BOOLEAN, convalidated BOOLEAN, conrelid BIGINT, contypid BIGINT,
       conindid BIGINT, conparentid BIGINT, confrelid BIGINT, confupdtype VARCHAR, confdeltype VARCHAR,
       confmatchtype VARCHAR, conislocal BOOLEAN, coninhcount INTEGER, connoinherit BOOLEAN, conkey INTEGER[],
       confkey INTEGER[], conpfeqop BIGINT[], conexclop BIGINT[], conbin VARCHAR, tableoid BIGINT))",
    R"(CREATE TABLE pg_index (indexrelid BIGINT, indrelid BIGINT, indnatts INTEGER, indnkeyatts INTEGER,
       indisunique BOOLEAN, indnullsnotdistinct BOOLEAN, indisprimary BOOLEAN, indisexclusion BOOLEAN,
       indimmediate BOOLEAN, indisclustered BOOLEAN, indisvalid BOOLEAN, indcheckxmin BOOLEAN, indisready BOOLEAN,
       indislive BOOLEAN, indisreplident BOOLEAN, indkey INTEGER[], indcollation BIGINT[], indclass BIGINT[],
       indoption INTEGER[], indexprs VARCHAR, indpred VARCHAR))",
    R"(CREATE TABLE pg_proc (oid BIGINT, proname VARCHAR, pronamespace BIGINT, proowner BIGINT, prolang BIGINT,
       procost DOUBLE, prorows DOUBLE, provariadic BIGINT, prokind VARCHAR, prosecdef BOOLEAN, proleakproof BOOLEAN,
       proisstrict BOOLEAN, proretset BOOLEAN, provolatile VARCHAR, proparallel VARCHAR, pronargs INTEGER,
       prorettype BIGINT, proargtypes BIGINT[], proallargtypes BIGINT[], proargmodes VARCHAR[], proargnames VARCHAR[],
       prosrc VARCHAR, proacl VARCHAR[], tableoid BIGINT))",
    "CREATE TABLE pg_am (oid BIGINT, amname VARCHAR, amhandler BIGINT, amtype VARCHAR)",
    "CREATE TABLE pg_opclass (oid BIGINT, opcmethod BIGINT, opcname VARCHAR, opcdefault BOOLEAN, opcintype BIGINT)",
    "CREATE TABLE pg_operator (oid BIGINT, oprname VARCHAR, oprnamespace BIGINT, oprleft BIGINT, oprright BIGINT)",
    "CREATE TABLE pg_language (oid BIGINT, lanname VARCHAR)",
    R"(CREATE TABLE pg_collation (oid BIGINT, collname VARCHAR, collnamespace BIGINT, collprovider VARCHAR,
       collencoding INTEGER, collcollate VARCHAR, collctype VARCHAR, collisdeterministic BOOLEAN))",
    "CREATE TABLE pg_inherits (inhrelid BIGINT, inhparent BIGINT, inhseqno INTEGER, inhdetachpending BOOLEAN)",
    R"(CREATE TABLE pg_trigger (oid BIGINT, tgrelid BIGINT, tgparentid BIGINT, tgname VARCHAR, tgfoid BIGINT,
       tgtype INTEGER, tgenabled VARCHAR, tgisinternal BOOLEAN, tgconstraint BIGINT, tgdeferrable BOOLEAN,
       tginitdeferred BOOLEAN))",
    R"(CREATE TABLE pg_rewrite (oid BIGINT, rulename VARCHAR, ev_class BIGINT, ev_type VARCHAR, ev_enabled VARCHAR,
       is_instead BOOLEAN))",
    R"(CREATE TABLE pg_policy (oid BIGINT, polname VARCHAR, polrelid BIGINT, polcmd VARCHAR, polpermissive BOOLEAN,
       polroles BIGINT[], polqual VARCHAR, polwithcheck VARCHAR))",
    R"(CREATE TABLE pg_statistic_ext (oid BIGINT, stxrelid BIGINT, stxname VARCHAR, stxnamespace BIGINT,
       stxowner BIGINT, stxstattarget INTEGER, stxkeys INTEGER[], stxkind VARCHAR[], stxexprs VARCHAR))",
    R"(CREATE TABLE pg_publication (oid BIGINT, pubname VARCHAR, pubowner BIGINT, puballtables BOOLEAN,
       pubinsert BOOLEAN, pubupdate BOOLEAN, pubdelete BOOLEAN, pubtruncate BOOLEAN, pubviaroot BOOLEAN))",
    R"(CREATE TABLE pg_publication_rel (oid BIGINT, prpubid BIGINT, prrelid BIGINT, prqual VARCHAR,
       prattrs INTEGER[]))",
    "CREATE TABLE pg_publication_namespace (oid BIGINT, pnpubid BIGINT, pnnspid BIGINT)",
    "CREATE TABLE pg_enum (oid BIGINT, enumtypid BIGINT, enumsortorder DOUBLE, enumlabel VARCHAR)",
    "CREATE TABLE pg_range (rngtypid BIGINT, rngsubtype BIGINT, rngmultitypid BIGINT)",
    R"(CREATE TABLE pg_depend (classid BIGINT, objid BIGINT, objsubid INTEGER, refclassid BIGINT, refobjid BIGINT,
       refobjsubid INTEGER, deptype VARCHAR))",
    R"(CREATE TABLE pg_extension (oid BIGINT, extname VARCHAR, extowner BIGINT, extnamespace BIGINT,
       extversion VARCHAR))",
    "CREATE TABLE pg_tablespace (oid BIGINT, spcname VARCHAR, spcowner BIGINT, spcacl VARCHAR[], spcoptions VARCHAR[])",
    "CREATE TABLE pg_foreign_table (ftrelid BIGINT, ftserver BIGINT, ftoptions VARCHAR[])",
    "CREATE TABLE pg_foreign_server (oid BIGINT, srvname VARCHAR, srvowner BIGINT, srvfdw BIGINT)",
    "CREATE TABLE pg_foreign_data_wrapper (oid BIGINT, fdwname VARCHAR)",
    R"(CREATE TABLE pg_sequence (seqrelid BIGINT, seqtypid BIGINT, seqstart BIGINT, seqincrement BIGINT,
       seqmax BIGINT, seqmin BIGINT, seqcache BIGINT, seqcycle BOOLEAN))",
    "CREATE TABLE pg_partitioned_table (partrelid BIGINT, partstrat VARCHAR, partnatts INTEGER, partdefid BIGINT)",
    R"(CREATE TABLE pg_settings (name VARCHAR, setting VARCHAR, unit VARCHAR, category VARCHAR, short_desc VARCHAR,
       context VARCHAR, vartype VARCHAR, source VARCHAR))",
    R"(CREATE TABLE pg_stat_activity (datid BIGINT, datname VARCHAR, pid INTEGER, usename VARCHAR,
       application_name VARCHAR, state VARCHAR, query VARCHAR, backend_type VARCHAR))",
    "CREATE TABLE pg_matviews (schemaname VARCHAR, matviewname VARCHAR, matviewowner VARCHAR)",
    "CREATE TABLE pg_views (schemaname VARCHAR, viewname VARCHAR, viewowner VARCHAR, definition VARCHAR)",
    "CREATE TABLE pg_indexes (schemaname VARCHAR, tablename VARCHAR, indexname VARCHAR, indexdef VARCHAR)",
    R"(CREATE VIEW pg_tables AS SELECT n.nspname AS schemaname, c.relname AS tablename, 'kith' AS tableowner,
       NULL::VARCHAR AS tablespace, false AS hasindexes, false AS hasrules, false AS hastriggers, false AS rowsecurity
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r')",
};

constexpr const char* kInformation[] = {
    R"(CREATE VIEW information_schema_schemata AS SELECT current_database() AS catalog_name, nspname AS schema_name,
       'kith' AS schema_owner, NULL::VARCHAR AS default_character_set_catalog,
       NULL::VARCHAR AS default_character_set_schema, NULL::VARCHAR AS default_character_set_name,
       NULL::VARCHAR AS sql_path FROM pg_namespace)",
    R"(CREATE VIEW information_schema_tables AS SELECT current_database() AS table_catalog,
       'public' AS table_schema, relname AS table_name, 'BASE TABLE' AS table_type,
       NULL::VARCHAR AS self_referencing_column_name, NULL::VARCHAR AS reference_generation,
       NULL::VARCHAR AS user_defined_type_catalog, NULL::VARCHAR AS user_defined_type_schema,
       NULL::VARCHAR AS user_defined_type_name, 'NO' AS is_insertable_into, 'NO' AS is_typed,
       NULL::VARCHAR AS commit_action FROM pg_class WHERE relkind = 'r')",
    R"(CREATE VIEW information_schema_columns AS SELECT current_database() AS table_catalog,
       'public' AS table_schema, c.relname AS table_name, a.attname AS column_name, a.attnum AS ordinal_position,
       NULL::VARCHAR AS column_default, CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END AS is_nullable,
       format_type(a.atttypid, -1) AS data_type, NULL::INTEGER AS character_maximum_length,
       NULL::INTEGER AS character_octet_length, CASE a.atttypid WHEN 20 THEN 64 WHEN 701 THEN 53 END
       AS numeric_precision, CASE a.atttypid WHEN 20 THEN 2 WHEN 701 THEN 2 END AS numeric_precision_radix,
       CASE a.atttypid WHEN 20 THEN 0 END AS numeric_scale, CASE a.atttypid WHEN 1114 THEN 6 WHEN 1082 THEN 0 END
       AS datetime_precision, NULL::VARCHAR AS collation_name, NULL::VARCHAR AS domain_name,
       current_database() AS udt_catalog, 'pg_catalog' AS udt_schema, t.typname AS udt_name,
       a.attnum::VARCHAR AS dtd_identifier, 'NO' AS is_self_referencing, 'NO' AS is_identity,
       NULL::VARCHAR AS identity_generation, 'NEVER' AS is_generated, NULL::VARCHAR AS generation_expression,
       'NO' AS is_updatable FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       JOIN pg_type t ON t.oid = a.atttypid)",
    R"(CREATE TABLE information_schema_views (table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR,
       view_definition VARCHAR, check_option VARCHAR, is_updatable VARCHAR, is_insertable_into VARCHAR))",
    R"(CREATE TABLE information_schema_table_constraints (constraint_catalog VARCHAR, constraint_schema VARCHAR,
       constraint_name VARCHAR, table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR,
       constraint_type VARCHAR, is_deferrable VARCHAR, initially_deferred VARCHAR))",
    R"(CREATE TABLE information_schema_key_column_usage (constraint_catalog VARCHAR, constraint_schema VARCHAR,
       constraint_name VARCHAR, table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, column_name VARCHAR,
       ordinal_position INTEGER, position_in_unique_constraint INTEGER))",
    R"(CREATE TABLE information_schema_referential_constraints (constraint_catalog VARCHAR, constraint_schema VARCHAR,
       constraint_name VARCHAR, unique_constraint_catalog VARCHAR, unique_constraint_schema VARCHAR,
       unique_constraint_name VARCHAR, match_option VARCHAR, update_rule VARCHAR, delete_rule VARCHAR))",
    R"(CREATE TABLE information_schema_constraint_column_usage (table_catalog VARCHAR, table_schema VARCHAR,
       table_name VARCHAR, column_name VARCHAR, constraint_catalog VARCHAR, constraint_schema VARCHAR,
       constraint_name VARCHAR))",
    R"(CREATE TABLE information_schema_routines (specific_schema VARCHAR, specific_name VARCHAR,
       routine_schema VARCHAR, routine_name VARCHAR, routine_type VARCHAR, data_type VARCHAR))",
    R"(CREATE TABLE information_schema_sequences (sequence_catalog VARCHAR, sequence_schema VARCHAR,
       sequence_name VARCHAR, data_type VARCHAR))",
};

// Functions of catalogs. Arguments have names that no column has.
constexpr const char* kFunctions[] = {
    "CREATE MACRO current_schema() AS 'public'",
    "CREATE MACRO current_schemas(a_) AS CASE WHEN a_ THEN ['pg_catalog', 'public'] ELSE ['public'] END",
    "CREATE MACRO pg_table_is_visible(a_) AS true",
    "CREATE MACRO pg_type_is_visible(a_) AS true",
    "CREATE MACRO pg_function_is_visible(a_) AS true",
    "CREATE MACRO pg_get_userbyid(a_) AS 'kith'",
    "CREATE MACRO pg_encoding_to_char(a_) AS 'UTF8'",
    "CREATE MACRO pg_relation_is_publishable(a_) AS false",
    "CREATE MACRO pg_is_in_recovery() AS false",
    "CREATE MACRO array_upper(a_, b_) AS len(a_)",
    "CREATE MACRO array_lower(a_, b_) AS 1",
    "CREATE MACRO pg_backend_pid() AS 0",
    "CREATE MACRO pg_my_temp_schema() AS 0",
    "CREATE MACRO pg_is_other_temp_schema(a_) AS false",
    "CREATE MACRO pg_postmaster_start_time() AS NULL::TIMESTAMP",
    "CREATE MACRO txid_current() AS 0",
    "CREATE MACRO inet_server_addr() AS NULL::VARCHAR",
    "CREATE MACRO inet_server_port() AS NULL::INTEGER",
    "CREATE MACRO has_schema_privilege(a_, b_) AS true, (a_, b_, c_) AS true",
    "CREATE MACRO has_table_privilege(a_, b_) AS lower(b_) = 'select', (a_, b_, c_) AS lower(c_) = 'select'",
    "CREATE MACRO has_column_privilege(a_, b_, c_) AS lower(c_) = 'select', (a_, b_, c_, d_) AS lower(d_) = 'select'",
    "CREATE MACRO has_any_column_privilege(a_, b_) AS true, (a_, b_, c_) AS true",
    "CREATE MACRO has_database_privilege(a_, b_) AS true, (a_, b_, c_) AS true",
    "CREATE MACRO has_function_privilege(a_, b_) AS false, (a_, b_, c_) AS false",
    "CREATE MACRO quote_ident(a_) AS CASE WHEN regexp_full_match(a_, '[a-z_][a-z0-9_]*') THEN a_ ELSE '\"' || "
    "replace(a_, '\"', '\"\"') || '\"' END",
    "CREATE MACRO quote_literal(a_) AS '''' || replace(a_, '''', '''''') || ''''",
    R"(CREATE MACRO format_type(a_, b_) AS CASE a_ WHEN 16 THEN 'boolean' WHEN 20 THEN 'bigint' WHEN 21 THEN 'smallint'
       WHEN 23 THEN 'integer' WHEN 25 THEN 'text' WHEN 26 THEN 'oid' WHEN 700 THEN 'real'
       WHEN 701 THEN 'double precision' WHEN 1043 THEN 'character varying' WHEN 1082 THEN 'date'
       WHEN 1114 THEN 'timestamp without time zone' WHEN 1184 THEN 'timestamp with time zone'
       WHEN 1700 THEN 'numeric' WHEN 19 THEN 'name' ELSE (SELECT typname FROM pg_type WHERE pg_type.oid = a_) END)",
    R"(CREATE MACRO col_description(a_, b_) AS (SELECT min(d_.description) FROM pg_description d_ WHERE d_.objoid = a_
       AND d_.objsubid = b_))",
    R"(CREATE MACRO obj_description(a_) AS (SELECT min(d_.description) FROM pg_description d_ WHERE d_.objoid = a_
       AND d_.objsubid = 0), (a_, b_) AS (SELECT min(d_.description) FROM pg_description d_ WHERE d_.objoid = a_
       AND d_.objsubid = 0 AND b_ = 'pg_class'))",
    R"(CREATE MACRO to_regclass(a_) AS (SELECT min(c_.oid) FROM pg_class c_ WHERE c_.relname =
       replace(replace(replace(a_, '"', ''), 'public.', ''), 'pg_catalog.', '')))",
    "CREATE MACRO to_regtype(a_) AS (SELECT min(t_.oid) FROM pg_type t_ WHERE t_.typname = a_)",
    "CREATE MACRO information_schema__pg_expandarray(a_) AS {'x': a_[1], 'n': 1}",
    "CREATE MACRO pg_options_to_table(a_) AS {'option_name': NULL::VARCHAR, 'option_value': NULL::VARCHAR}",
    "CREATE MACRO current_setting(a_) AS (SELECT min(s_.setting) FROM pg_settings s_ WHERE s_.name = lower(a_)), "
    "(a_, b_) AS (SELECT min(s_.setting) FROM pg_settings s_ WHERE s_.name = lower(a_))",
};

// Of what there is nothing to say, for one to three arguments.
constexpr const char* kNoTexts[] = {"pg_get_expr",
                                    "pg_get_indexdef",
                                    "pg_get_constraintdef",
                                    "pg_get_viewdef",
                                    "pg_get_triggerdef",
                                    "pg_get_ruledef",
                                    "pg_get_partkeydef",
                                    "pg_get_statisticsobjdef_columns",
                                    "pg_get_function_result",
                                    "pg_get_function_arguments",
                                    "pg_get_function_identity_arguments",
                                    "pg_get_serial_sequence",
                                    "pg_size_pretty",
                                    "pg_tablespace_location",
                                    "shobj_description"};
constexpr const char* kNoNumbers[] = {"pg_relation_size", "pg_table_size", "pg_total_relation_size", "pg_database_size",
                                      "pg_partition_ancestors"};

constexpr const char* kTypes[] = {"regclass", "regtype", "regproc", "regprocedure", "regnamespace",
                                  "regrole",  "regoper", "name",    "int2vector",   "oidvector"};

struct Type {
  int oid;
  const char* name;
  int size;
  char category;
  int array;
};
constexpr Type kKnown[] = {
    {16, "bool", 1, 'B', 1000},          {17, "bytea", -1, 'U', 1001},     {18, "char", 1, 'Z', 1002},
    {19, "name", 64, 'S', 1003},         {20, "int8", 8, 'N', 1016},       {21, "int2", 2, 'N', 1005},
    {23, "int4", 4, 'N', 1007},          {25, "text", -1, 'S', 1009},      {26, "oid", 4, 'N', 1028},
    {114, "json", -1, 'U', 199},         {700, "float4", 4, 'N', 1021},    {701, "float8", 8, 'N', 1022},
    {705, "unknown", -2, 'X', 0},        {1042, "bpchar", -1, 'S', 1014},  {1043, "varchar", -1, 'S', 1015},
    {1082, "date", 4, 'D', 1182},        {1083, "time", 8, 'D', 1183},     {1114, "timestamp", 8, 'D', 1115},
    {1184, "timestamptz", 8, 'D', 1185}, {1700, "numeric", -1, 'N', 1231}, {2205, "regclass", 4, 'N', 2210},
    {2206, "regtype", 4, 'N', 2211},     {2950, "uuid", 16, 'U', 2951}};

int TypeOf(const std::string& type) {
  if (type == "integer") return 20;
  if (type == "real") return 701;
  if (type == "boolean") return 16;
  if (type == "date") return 1082;
  if (type == "timestamp") return 1114;
  return 25;
}

std::string Insert(const char* table, const std::string& columns, const std::string& values) {
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, values);
}

std::string TypeRow(const Type& type, bool array) {
  const std::string name = fmt::format("'{}{}'", array ? "_" : "", type.name);
  return Insert("pg_type",
                "oid, typname, typnamespace, typowner, typlen, typbyval, typtype, typcategory, typispreferred, "
                "typisdefined, typdelim, typrelid, typelem, typarray, typinput, typnotnull, typbasetype, typtypmod, "
                "typndims, typcollation, tableoid",
                fmt::format("{}, {}, 11, {}, {}, {}, 'b', '{}', false, true, ',', 0, {}, {}, '{}', false, 0, -1, 0, 0, "
                            "1247",
                            array ? type.array : type.oid, name, kOwner, array ? -1 : type.size,
                            !array && type.size > 0, array ? 'A' : type.category, array ? type.oid : 0,
                            array ? 0 : type.array, array ? "array_in" : fmt::format("{}in", type.name)));
}

// What may be asked is what a reader of \d+ wants to know.
std::string AboutColumn(const document::ColumnFacts& column) {
  std::string text = column.is_public ? "public" : "secret";
  if (!column.values.empty()) {
    text += "; values";
    for (std::size_t k = 0; k < column.values.size() && k < 20; ++k)
      text += (k == 0 ? " " : ", ") + ToText(column.values[k]);
    if (column.values.size() > 20) text += ", ...";
  }
  if (column.lower && column.upper)
    text += fmt::format("; from {} to {}", ToText(*column.lower), ToText(*column.upper));
  return text;
}

void AddTable(const document::TableFacts& table, int oid, std::vector<std::string>& out) {
  out.push_back(Insert(
      "pg_class",
      "oid, relname, relnamespace, reltype, reloftype, relowner, relam, relfilenode, reltablespace, relpages, "
      "reltuples, "
      "relallvisible, reltoastrelid, relhasindex, relisshared, relpersistence, relkind, relnatts, relchecks, "
      "relhasrules, relhastriggers, relhassubclass, relrowsecurity, relforcerowsecurity, relispopulated, relreplident, "
      "relispartition, relrewrite, relhasoids, tableoid",
      fmt::format("{}, {}, {}, 0, 0, {}, 2, {}, 0, 0, -1, 0, 0, false, false, 'p', 'r', {}, 0, false, false, false, "
                  "false, false, true, 'd', false, 0, false, 1259",
                  oid, QuotedText(table.name), kPublic, kOwner, oid, table.columns.size())));
  out.push_back(Insert("pg_description", "objoid, classoid, objsubid, description",
                       fmt::format("{}, 1259, 0, {}", oid, QuotedText(table.about))));
  int number = 0;
  for (const document::ColumnFacts& column : table.columns) {
    ++number;
    out.push_back(Insert(
        "pg_attribute",
        "attrelid, attname, atttypid, attstattarget, attlen, attnum, attndims, attcacheoff, atttypmod, attbyval, "
        "attstorage, attalign, attnotnull, atthasdef, atthasmissing, attidentity, attgenerated, attisdropped, "
        "attislocal, attinhcount, attcollation, attcompression",
        fmt::format("{}, {}, {}, -1, -1, {}, 0, -1, -1, false, 'p', 'i', {}, false, false, '', '', false, true, 0, 0, "
                    "''",
                    oid, QuotedText(column.name), TypeOf(column.type), number, column.required)));
    out.push_back(Insert("pg_description", "objoid, classoid, objsubid, description",
                         fmt::format("{}, 1259, {}, {}", oid, number, QuotedText(AboutColumn(column)))));
  }
}

}  // namespace

std::vector<std::string> CatalogStatements(const std::string& dataset, const std::string& version,
                                           const std::vector<document::TableFacts>& tables) {
  std::vector<std::string> out;
  for (const char* type : kTypes) out.push_back(fmt::format("CREATE TYPE {} AS VARCHAR", QuotedName(type)));
  out.insert(out.end(), std::begin(kTables), std::end(kTables));
  for (const auto& [name, value] : {std::pair("current_database", dataset), std::pair("current_catalog", dataset),
                                    std::pair("version", fmt::format("PostgreSQL 15.0 (kith {})", version))})
    out.push_back(fmt::format("CREATE MACRO {}() AS {}", name, QuotedText(value)));
  const auto nothing = [&](const char* name, const char* type) {
    out.push_back(
        fmt::format("CREATE MACRO {0}(a_) AS NULL::{1}, (a_, b_) AS NULL::{1}, (a_, b_, c_) AS NULL::{1}", name, type));
  };
  for (const char* name : kNoTexts) nothing(name, "VARCHAR");
  for (const char* name : kNoNumbers) nothing(name, "BIGINT");
  out.insert(out.end(), std::begin(kFunctions), std::end(kFunctions));
  out.insert(out.end(), std::begin(kInformation), std::end(kInformation));
  for (const auto& [oid, name] :
       {std::pair(11, "pg_catalog"), std::pair(kPublic, "public"), std::pair(13000, "information_schema")})
    out.push_back(
        Insert("pg_namespace", "oid, nspname, nspowner, tableoid", fmt::format("{}, '{}', 10, 2615", oid, name)));
  out.push_back(
      Insert("pg_database",
             "oid, datname, datdba, encoding, datlocprovider, datistemplate, datallowconn, datconnlimit, "
             "dattablespace, datcollate, datctype, tableoid",
             fmt::format("16383, {}, 10, 6, 'c', false, true, -1, 1663, 'C', 'C', 1262", QuotedText(dataset))));
  out.push_back(Insert("pg_roles", "oid, rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin",
                       "10, 'kith', false, true, false, false, false"));
  out.push_back(Insert("pg_am", "oid, amname, amtype", "2, 'heap', 't'"));
  out.push_back(Insert("pg_tablespace", "oid, spcname, spcowner", "1663, 'pg_default', 10"));
  for (const auto& [name, value] :
       {std::pair("server_version", "15.0"), std::pair("server_version_num", "150000"),
        std::pair("server_encoding", "UTF8"), std::pair("client_encoding", "UTF8"),
        std::pair("standard_conforming_strings", "on"), std::pair("max_index_keys", "32"),
        std::pair("search_path", "public"), std::pair("transaction_isolation", "repeatable read"),
        std::pair("timezone", "UTC"), std::pair("integer_datetimes", "on"), std::pair("max_identifier_length", "63")})
    out.push_back(Insert("pg_settings", "name, setting", fmt::format("'{}', '{}'", name, value)));
  for (const Type& type : kKnown) {
    out.push_back(TypeRow(type, false));
    if (type.array != 0) out.push_back(TypeRow(type, true));
  }
  int oid = kFirstTable;
  for (const document::TableFacts& table : tables) AddTable(table, oid++, out);
  return out;
}

}  // namespace kith::pgwire
