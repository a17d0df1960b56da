import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

export type Certificate = { cert: string; key: string };

/** What a certificate is made for. Times are years of our calendar. */
type Wanted = { host?: string; from?: number; until?: number };

/** An authority of one's own, as of a company whose proxy reads along. It issues certificates for any host. */
export function ownAuthority(): Certificate & { issue: (host: string) => Certificate } {
  const isAuthority = sequence(oid("551d13"), tlv(0x04, sequence(tlv(0x01, Buffer.of(0xff)))));
  const own = made({ name: "authority", extension: isAuthority });
  return {
    ...own,
    issue: (host) => made({ extension: alternativesOf(host), issuer: { name: "authority", key: own.key } }),
  };
}

/**
 * A certificate signed by nobody but itself, for this machine unless another host is named. Made anew each time,
 * so that no key lies in the repository and nothing expires by surprise.
 */
export function selfSigned({ host, ...validity }: Wanted = {}): Certificate {
  return made({ ...validity, extension: alternativesOf(host) });
}

type Made = Omit<Wanted, "host"> & {
  name?: string;
  extension: Buffer;
  /** @default the certificate itself */
  issuer?: { name: string; key: string };
};

function made({ name = "test", from = 2025, until = 2049, extension, issuer }: Made): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const content = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ECDSA_SHA256,
    named(issuer?.name ?? name),
    sequence(firstOf(from), firstOf(until)),
    named(name),
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(extension)),
  );
  const signed = sequence(content, ECDSA_SHA256, bits(sign("sha256", content, issuer?.key ?? privateKey)));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${signed.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

function named(name: string): Buffer {
  return sequence(set(sequence(oid("550403"), tlv(0x0c, Buffer.from(name)))));
}

function alternativesOf(host: string | undefined): Buffer {
  const alternatives = host
    ? sequence(tlv(0x82, Buffer.from(host)))
    : sequence(tlv(0x82, Buffer.from("localhost")), tlv(0x87, Buffer.of(127, 0, 0, 1)));
  return sequence(oid("551d11"), tlv(0x04, alternatives));
}

/** A tag, its length, and what it holds, as ASN.1 has it. */
function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function set(part: Buffer): Buffer {
  return tlv(0x31, part);
}

function bits(content: Buffer): Buffer {
  return tlv(0x03, Buffer.concat([Buffer.of(0), content]));
}

function firstOf(year: number): Buffer {
  return tlv(0x17, Buffer.from(`${String(year).slice(2)}0101000000Z`));
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, "hex"));
}

const ECDSA_SHA256 = sequence(oid("2a8648ce3d040302"));
