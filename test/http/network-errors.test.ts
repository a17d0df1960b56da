import should from "should";
import { REFUSALS } from "../../src/http/answer.ts";
import { type Hop, HopError } from "../../src/http/hops.ts";
import { networkError } from "../../src/http/network-errors.ts";
import type { UsedProxy } from "../../src/http/proxy.ts";

/** What a network that is not at hand would say, by the codes of Node.js and of its HTTP client. */
const failed = (code: string, message = "failed") => Object.assign(new Error(message), { code });
const errorOf = (error: unknown) =>
  networkError(error, "host:443", (text) => text.replaceAll("secret", "***"));

describe("the error of a call that did not reach the service", () => {
  for (const [code, says] of [
    ["ENOTFOUND", /its name cannot be resolved\. Check the base URL/],
    ["EAI_AGAIN", /DNS does not answer\. Check the network and DNS/],
    ["ECONNREFUSED", /nothing listens there\. Check that it runs, and the base URL/],
    ["EMFILE", /this process has too many open files or sockets\. Look for what opens them/],
    ["EHOSTUNREACH", /there is no route to it\. Check the network/],
    ["ENETUNREACH", /there is no route to it\. Check the network/],
    ["ETIMEDOUT", /it does not answer\. Check the network, and firewalls/],
    ["UND_ERR_CONNECT_TIMEOUT", /it does not answer\. Check the network, and firewalls/],
    ["UND_ERR_ABORTED", /the connection broke before the answer was complete/],
    ["UND_ERR_SOCKET", /the connection broke before the answer was complete\. Check the network/],
    ["HPE_INVALID_EOF_STATE", /the connection broke before the answer was complete/],
    ["", /the connection broke before the answer was complete/],
  ] as const) {
    it(`names the host, the cause and what to check after ${code || "an error without a code"}`, () => {
      const error = errorOf(code === "" ? new Error("failed") : failed(code));
      should(error).have.properties({ code: "SERVICE_UNREACHABLE", retryable: true, name: "NetworkError" });
      should(error.message).startWith("The service at host:443 cannot be reached: ").and.match(says);
      should((error.cause as { code?: string }).code).equal(code === "" ? undefined : code);
    });
  }

  const general =
    /check https or http in the base URL of .*, the clock of this machine, and the TLS settings of/;
  const authority =
    /does not trust who issued .* Check whether .* a proxy or virus scanner .* TLS settings of the connection/;
  for (const [code, says] of [
    ["CERT_HAS_EXPIRED", /has expired\. Check the clock of this machine\. If that is right, .* renew/],
    ["CERT_NOT_YET_VALID", /not valid yet\. Check the clock of this machine/],
    ["CRL_HAS_EXPIRED", general],
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      /is self-signed\. Check that .* not a proxy .* TLS settings of the connection/,
    ],
    ["EPROTO", general],
    ["ERR_OSSL_EVP_UNSUPPORTED", general],
    ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", /not serve this host name, requires a client certificate, or/],
    ["ERR_SSL_WRONG_VERSION_NUMBER", /does not use TLS on this port\. Check https or http, and the port, in/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /another host name\. Check the host in the base URL of .* login page/],
    ["HOSTNAME_MISMATCH", general],
    ["SELF_SIGNED_CERT_IN_CHAIN", authority],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", authority],
    ["UND_ERR_PRX_TLS", general],
  ] as const) {
    it(`is TLS_ERROR after ${code}, and no repeat would help`, () => {
      const error = errorOf(failed(code));
      should(error).have.properties({ code: "TLS_ERROR", retryable: false });
      should(error.cause).have.property("code", code);
      should(error.message).startWith("No trusted connection to host:443: ").and.endWith(`. (${code})`);
      should(error.message).match(says);
    });
  }

  it("says of an address of this machine that it is another one in a container", () => {
    for (const host of ["localhost:8787", "127.0.0.1:80", "[::1]:80"]) {
      const { message } = networkError(failed("ECONNREFUSED"), host, (text) => text);
      should(message).endWith(
        `of the connection. If this runs in a container, ${host} means the container itself.`,
      );
    }
  });

  describe("through a proxy", () => {
    const url = "http://user:hush-hush@proxy.example:3128";
    const place = "the environment variable HTTPS_PROXY";
    const through = (hop: Hop, error: Error, proxy: UsedProxy = { url }) =>
      networkError(new HopError(hop, error), "host:443", (text) => text, { proxy }).message;

    it("names the proxy, and where its address is, where no connection comes about", () => {
      const unknown = "The proxy at proxy.example:3128 cannot be reached: its name cannot be resolved.";
      should(through("proxy", failed("ENOTFOUND"), { url, place })).equal(
        `${unknown} Check ${place}, and DNS.`,
      );
      should(through("proxy", failed("ENOTFOUND"))).equal(
        `${unknown} Check the proxy of the connection, and DNS.`,
      );
      should(through("proxy", failed("ECONNREFUSED"), { url: "https://proxy" })).equal(
        "The proxy at proxy:443 cannot be reached: nothing listens there. Check that it runs, and the proxy of the connection.",
      );
      should(through("proxy", failed("ETIMEDOUT"), { url: "http://proxy" })).startWith(
        "The proxy at proxy:80 cannot",
      );
    });

    it("names both where the proxy refuses, and where the connection breaks", () => {
      const refused = failed("UND_ERR_ABORTED", "Proxy response (407) !== 200 when HTTP Tunneling");
      should(through("service", refused, { url, place })).equal(
        "The service at host:443 (through the proxy proxy.example:3128) cannot be reached: the proxy refused the connection (HTTP 407): it requires a login. Check the credentials in the environment variable HTTPS_PROXY.",
      );
      const { message } = networkError(failed("ECONNRESET"), "host:443", (text) => text, { proxy: { url } });
      should(message).match(/^The service at host:443 \(through the proxy proxy\.example:3128\) .*broke/);
    });

    it("says of a client certificate that a proxy gets none", () => {
      should(through("tunnel", failed("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"))).match(
        /^The proxy at proxy\.example:3128 refused the TLS connection .* gets none from here/,
      );
    });
  });

  it("is BAD_RESPONSE for what is not HTTP, and for an answer beyond the limit", () => {
    for (const error of [
      failed("HPE_INVALID_CONSTANT"),
      Object.assign(new Error("?"), { name: "HTTPParserError" }),
    ]) {
      should(errorOf(error)).have.properties({ code: "BAD_RESPONSE", retryable: false });
      should(errorOf(error).message).match(/^host:443 does not speak HTTP as expected \(HPE_INVALID/);
    }
    const large = errorOf(failed("UND_ERR_RES_EXCEEDED_MAX_SIZE"));
    should(large).have.property("code", "RESPONSE_TOO_LARGE");
    should(large.message).match(/^The answer of host:443 is larger than allowed\. Request less/);
  });

  it("is CLIENT_CLOSED when the sockets are gone, and INVALID_ARGUMENT for what cannot be sent", () => {
    for (const code of ["UND_ERR_DESTROYED", "UND_ERR_CLOSED"]) {
      should(errorOf(failed(code))).have.property("code", "CLIENT_CLOSED");
    }
    const refused = errorOf(failed("UND_ERR_INVALID_ARG", "invalid secret header"));
    should(refused).have.properties({ code: "INVALID_ARGUMENT", path: "request" });
    should(refused.message).match(/cannot be sent: invalid \*\*\* header\. Check its headers/);
  });

  it("holds no secret, whatever is thrown", () => {
    const { cause } = errorOf(failed("ECONNRESET", "secret"));
    should(cause).have.property("message", "***");
    should(errorOf("secret")).have.property("code", "SERVICE_UNREACHABLE");
    should(errorOf("secret").cause).have.property("message", "***");
    should(errorOf(Object.assign(new Error("x"), { code: 7 })).cause).not.have.property("code");
  });
});

describe("the error of a call that the service refused", () => {
  for (const [code, sentences] of Object.entries(REFUSALS)) {
    it(`is what happened and what to do, for ${code}`, () => {
      should(sentences).match(/^[A-Z][^.]+\. [A-Z][^.]+\.$/);
    });
  }
});
