import type { Places } from "./faults.ts";

type Sentence = (places: Places) => string;

const UNKNOWN_AUTHORITY: Sentence = ({ trust }) =>
  `this machine does not trust who issued its certificate. Check whether that is an authority of your own, or a proxy or virus scanner that reads along. If you trust it, ${trust}`;
const NO_TLS: Sentence = ({ address }) =>
  `it does not use TLS on this port. Check https or http, and the port, in ${address}`;

/** By the codes of Node.js and OpenSSL. */
const BY_CODE: Readonly<Record<string, Sentence>> = {
  CERT_HAS_EXPIRED: () =>
    "its certificate has expired. Check the clock of this machine. If that is right, who runs the server has to renew the certificate",
  CERT_NOT_YET_VALID: () =>
    "its certificate is not valid yet. Check the clock of this machine. If that is right, who runs the server has to replace the certificate",
  CERT_REVOKED: () => "its certificate was revoked. Ask who runs the server why, before you use this address",
  DEPTH_ZERO_SELF_SIGNED_CERT: ({ trust }) =>
    `its certificate is self-signed. Check that this is the right server, and not a proxy that reads along, then ${trust}`,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ address }) =>
    `its certificate is for another host name. Check the host in ${address}, and whether a proxy or a login page answers instead`,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: ({ address, tls }) =>
    `it refused the TLS connection: it does not serve this host name, requires a client certificate, or shares no version of TLS with this machine. Check the host in ${address}, and then ${tls}`,
};

/** Why there is no trusted connection, and what to do. */
export function certificateSentence(code: string, places: Places): string {
  const { address, tls } = places;
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return known?.(places) ?? `check https or http in ${address}, the clock of this machine, and ${tls}`;
}
