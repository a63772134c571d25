#include <sys/stat.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "server/stream.h"

namespace kith::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class TlsStream final : public Stream {
 public:
  TlsStream(tcp::socket socket, asio::ssl::context& context) : stream_(std::move(socket), context) {}

  asio::awaitable<bool> Begin() override {
    boost::system::error_code failed;
    co_await stream_.async_handshake(asio::ssl::stream_base::server, asio::redirect_error(asio::use_awaitable, failed));
    co_return !failed;
  }
  asio::awaitable<std::size_t> Read(char* into, std::size_t size) override {
    boost::system::error_code failed;
    const std::size_t read =
        co_await stream_.async_read_some(asio::buffer(into, size), asio::redirect_error(asio::use_awaitable, failed));
    co_return failed ? 0 : read;
  }
  asio::awaitable<bool> Write(std::string_view text) override {
    boost::system::error_code failed;
    co_await asio::async_write(stream_, asio::buffer(text.data(), text.size()),
                               asio::redirect_error(asio::use_awaitable, failed));
    co_return !failed;
  }
  asio::awaitable<void> End() override {
    boost::system::error_code ignored;
    co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
  }
  tcp::socket& socket() override { return stream_.next_layer(); }

 private:
  asio::ssl::stream<tcp::socket> stream_;
};

// As PostgreSQL has it: for its owner alone; a key that belongs to root may also be for the group.
Result<void> CheckPrivate(const std::string& key) {
  struct stat about = {};
  if (::stat(key.c_str(), &about) != 0) return {};  // what is wrong is said when it is read
  const mode_t others = about.st_uid == 0 ? 0037 : 0077;
  if ((about.st_mode & others) == 0) return {};
  return InvalidArgument("others may read or change the private key", key,
                         "chmod 600 the file, and replace key and certificate if others have read it");
}

class OpenSslTls final : public Tls {
 public:
  OpenSslTls() : context_(asio::ssl::context::tls_server) {}

  Result<void> Load(const std::string& certificate, const std::string& key) {
    boost::system::error_code failed;
    SSL_CTX_set_min_proto_version(context_.native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_options(context_.native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // What was recorded stays secret when the key is lost later: of TLS 1.2 that leaves these; of TLS 1.3, everything.
    if (SSL_CTX_set_cipher_list(context_.native_handle(), "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL") != 1)
      return InternalError("TLS has no ciphers");
    if (auto fine = CheckPrivate(key); !fine) return fine;
    context_.use_certificate_chain_file(certificate, failed);
    if (failed)
      return InvalidArgument("the certificate cannot be used", certificate, "give a chain of certificates in PEM");
    context_.use_private_key_file(key, asio::ssl::context::pem, failed);
    if (failed || SSL_CTX_check_private_key(context_.native_handle()) != 1)
      return InvalidArgument("the private key cannot be used, or is not that of the certificate", key,
                             "give the key of the certificate in PEM, without a pass phrase");
    return {};
  }
  std::unique_ptr<Stream> Over(tcp::socket socket) override {
    return std::make_unique<TlsStream>(std::move(socket), context_);
  }

 private:
  asio::ssl::context context_;
};

}  // namespace

Result<std::unique_ptr<Tls>> Tls::Make(const std::string& certificate, const std::string& key) {
  auto tls = std::make_unique<OpenSslTls>();
  if (auto loaded = tls->Load(certificate, key); !loaded) return loaded.error();
  return std::unique_ptr<Tls>(std::move(tls));
}

}  // namespace kith::server
