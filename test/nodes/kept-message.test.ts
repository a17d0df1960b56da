import should from "should";
import { storedMessage } from "../../nodes/common/tasks/stored-message.ts";

describe("a message that is kept for a wait", () => {
  it("is the same, without the web request that waits for its answer", () => {
    const msg = { _msgid: "1", topic: "t", payload: { a: [1, "2", null, true] }, crec: { keep: "me" } };
    should(storedMessage({ ...msg, req: { socket: {} }, res: {} })).eql({ msg, cut: [] });
  });

  it("leaves out what is not JSON", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const odd = {
      bytes: Buffer.from("a"),
      date: new Date(),
      call: () => 1,
      big: 1n,
      none: Number.NaN,
      circle,
    };
    for (const [name, value] of Object.entries(odd)) {
      for (const given of [value, { nested: [value] }]) {
        should(storedMessage({ payload: 1, [name]: given })).eql({ msg: { payload: 1 }, cut: [name] });
      }
    }
  });

  it("leaves out what is secret by its name, also in headers", () => {
    const headers = { Authorization: "Bearer x", "set-cookie": "a", "X-API-Key": "k", accept: "text/plain" };
    const msg = {
      payload: 1,
      token: "USDC",
      password: "p",
      apiKey: "k",
      access_token: "t",
      cookies: {},
      headers,
    };
    should(storedMessage(msg)).eql({
      msg: { payload: 1, token: "USDC", headers: { accept: "text/plain" } },
      cut: [
        ...["password", "apiKey", "access_token", "cookies"],
        ...["headers.Authorization", "headers.set-cookie", "headers.X-API-Key"],
      ],
    });
  });

  it("keeps what only looks secret, such as amounts of tokens", () => {
    const msg = {
      ...{ token: "USDC", tokens: { value: "1.5" }, tokenId: "7", tokenAmount: "1", publicKey: "0x1" },
      ...{ paidTokens: "1", bidToken: "A", validTokens: 2, idTokens: 3, keyToken: "k", operationKey: "o" },
      payload: { tokens: { value: "1.5" }, params: { privateKeyHash: "0x2" } },
    };
    should(storedMessage(msg)).eql({ msg, cut: [] });
  });

  it("leaves out secrets in any notation", () => {
    const names = [
      "ACCESS_TOKEN",
      "refreshToken",
      "idToken",
      "accesstoken",
      "x-api-key",
      "PrivateKey",
      "passwd",
    ];
    for (const name of names) should(storedMessage({ [name]: "s" })).eql({ msg: {}, cut: [name] });
    const headers = { "X-Vault-Token": "s", token: "s" };
    should(storedMessage({ headers }).cut).eql(["headers.X-Vault-Token", "headers.token"]);
  });

  it("leaves out the largest properties of a message above 64 KB, and ours last", () => {
    const large = (kilobytes: number) => "x".repeat(kilobytes * 1024);
    const msg = { _msgid: "1", payload: large(30), image: large(60), crec: { note: large(50) } };
    should(storedMessage(msg)).eql({
      msg: { _msgid: "1", crec: msg.crec },
      cut: ["image", "payload"],
    });
  });

  it("stays marked as a test, however large it is", () => {
    const crec = { test: true, event: "x".repeat(70_000) };
    should(storedMessage({ payload: 1, crec })).eql({
      msg: { crec: { test: true } },
      cut: ["payload", "crec"],
    });
    should(storedMessage({ payload: 1, crec: { ...crec, test: "true" } }).msg).eql({});
  });

  it("counts bytes, not characters", () => {
    should(storedMessage({ payload: "€".repeat(30_000) }).cut).eql(["payload"]);
  });
});
