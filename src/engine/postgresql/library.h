// The functions of libpq that kith calls. The library and the twenty that it needs are loaded with the first
// connection. A function that is missing here is missing at link time.
#pragma once
#include <libpq-fe.h>

#include "base/late_library.h"

namespace kith {

inline constinit LateLibrary libpq{"libpq.so.5"};

template <FunctionName kName, auto* kDeclared>
using OfLibpq = LateFunction<libpq, kName, kDeclared>;

// clang-format off
inline constexpr OfLibpq<"PQcancel", ::PQcancel> PQcancel;
inline constexpr OfLibpq<"PQclear", ::PQclear> PQclear;
inline constexpr OfLibpq<"PQconnectPoll", ::PQconnectPoll> PQconnectPoll;
inline constexpr OfLibpq<"PQconnectStartParams", ::PQconnectStartParams> PQconnectStartParams;
inline constexpr OfLibpq<"PQconsumeInput", ::PQconsumeInput> PQconsumeInput;
inline constexpr OfLibpq<"PQerrorMessage", ::PQerrorMessage> PQerrorMessage;
inline constexpr OfLibpq<"PQfinish", ::PQfinish> PQfinish;
inline constexpr OfLibpq<"PQflush", ::PQflush> PQflush;
inline constexpr OfLibpq<"PQfreeCancel", ::PQfreeCancel> PQfreeCancel;
inline constexpr OfLibpq<"PQfreemem", ::PQfreemem> PQfreemem;
inline constexpr OfLibpq<"PQftype", ::PQftype> PQftype;
inline constexpr OfLibpq<"PQgetCancel", ::PQgetCancel> PQgetCancel;
inline constexpr OfLibpq<"PQgetCopyData", ::PQgetCopyData> PQgetCopyData;
inline constexpr OfLibpq<"PQgetResult", ::PQgetResult> PQgetResult;
inline constexpr OfLibpq<"PQgetisnull", ::PQgetisnull> PQgetisnull;
inline constexpr OfLibpq<"PQgetlength", ::PQgetlength> PQgetlength;
inline constexpr OfLibpq<"PQgetvalue", ::PQgetvalue> PQgetvalue;
inline constexpr OfLibpq<"PQisBusy", ::PQisBusy> PQisBusy;
inline constexpr OfLibpq<"PQnfields", ::PQnfields> PQnfields;
inline constexpr OfLibpq<"PQntuples", ::PQntuples> PQntuples;
inline constexpr OfLibpq<"PQresultErrorField", ::PQresultErrorField> PQresultErrorField;
inline constexpr OfLibpq<"PQresultStatus", ::PQresultStatus> PQresultStatus;
inline constexpr OfLibpq<"PQsendDescribePrepared", ::PQsendDescribePrepared> PQsendDescribePrepared;
inline constexpr OfLibpq<"PQsendPrepare", ::PQsendPrepare> PQsendPrepare;
inline constexpr OfLibpq<"PQsendQuery", ::PQsendQuery> PQsendQuery;
inline constexpr OfLibpq<"PQsendQueryParams", ::PQsendQueryParams> PQsendQueryParams;
inline constexpr OfLibpq<"PQsendQueryPrepared", ::PQsendQueryPrepared> PQsendQueryPrepared;
inline constexpr OfLibpq<"PQserverVersion", ::PQserverVersion> PQserverVersion;
inline constexpr OfLibpq<"PQsetErrorVerbosity", ::PQsetErrorVerbosity> PQsetErrorVerbosity;
inline constexpr OfLibpq<"PQsetNoticeProcessor", ::PQsetNoticeProcessor> PQsetNoticeProcessor;
inline constexpr OfLibpq<"PQsetnonblocking", ::PQsetnonblocking> PQsetnonblocking;
inline constexpr OfLibpq<"PQsocket", ::PQsocket> PQsocket;
inline constexpr OfLibpq<"PQstatus", ::PQstatus> PQstatus;
inline constexpr OfLibpq<"PQtransactionStatus", ::PQtransactionStatus> PQtransactionStatus;
// clang-format on

}  // namespace kith
