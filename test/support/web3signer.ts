import { keccak256, SigningKey } from "ethers";
import { type Answer, type Asked, StandIn } from "./stand-in.ts";

const TEXT = { "content-type": "text/plain; charset=utf-8" };
const SIGN = /^\/api\/v1\/eth1\/sign\/0x([0-9a-f]{128})$/;

/**
 * In place of Web3Signer, which no registry of this project has: its REST interface as its OpenAPI description has it. It
 * accepts nothing else, and hashes what it is given.
 */
export async function startWeb3Signer(privateKeys: readonly string[]): Promise<StandIn> {
  const keys = new Map(
    privateKeys.map((each) => {
      const key = new SigningKey(each);
      return [key.publicKey.slice(4), key];
    }),
  );
  const standIn = await StandIn.start();
  standIn.answer = (asked) => answerOf(asked, keys);
  return standIn;
}

function answerOf({ method, path, headers, body }: Asked, keys: Map<string, SigningKey>): Answer {
  if (method === "GET" && path === "/api/v1/eth1/publicKeys") {
    return { status: 200, body: [...keys.keys()].map((digits) => `0x${digits}`) };
  }
  const digits = method === "POST" ? SIGN.exec(path)?.[1] : undefined;
  if (digits === undefined) return { status: 404, headers: TEXT, body: "Resource not found" };
  if (!headers.accept?.includes("text/plain")) return { status: 406, headers: TEXT, body: "Not Acceptable" };
  const key = keys.get(digits);
  if (key === undefined) return { status: 404, headers: TEXT, body: "Resource not found" };
  const data = headers["content-type"] === "application/json" ? dataOf(body) : undefined;
  if (data === undefined) return { status: 400, headers: TEXT, body: "Bad Request" };
  return { status: 200, headers: TEXT, body: key.sign(keccak256(data)).serialized };
}

/** `{"data": "0x…"}` and nothing else. */
function dataOf(body: Buffer): string | undefined {
  const { data, ...others } = JSON.parse(body.toString()) as Record<string, unknown>;
  const isHex = typeof data === "string" && /^0x(?:[0-9a-f]{2})+$/i.test(data);
  return isHex && Object.keys(others).length === 0 ? data : undefined;
}
