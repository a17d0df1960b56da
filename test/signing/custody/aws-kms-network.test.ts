import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import should from "should";
import { type AwsKmsOptions, type AwsKmsSigner, awsKmsSigner } from "../../../src/signing/custody/index.ts";
import { signWith } from "../../../src/signing/index.ts";
import { errorOf } from "../../http/support.ts";
import { selfSigned } from "../../support/certificates.ts";
import { ACCESS_KEY, ecdsaKey, KmsStandIn, REGION } from "../../support/kms.ts";
import { request } from "./sample-request.ts";

describe("the way to AWS KMS", () => {
  const certificate = selfSigned();
  let kms: KmsStandIn;
  let proxy: Server;
  /** The tunnels that the proxy was asked for. */
  let tunnels: IncomingMessage[];
  const open: AwsKmsSigner[] = [];

  before(async () => {
    kms = await KmsStandIn.start({ certificate });
    kms.keys.set("alias/payments", ecdsaKey());
    proxy = createServer((_request, response) => response.writeHead(407).end());
    proxy.on("connect", (asked: IncomingMessage, socket: Socket) => {
      tunnels.push(asked);
      if (!asked.headers["proxy-authorization"]) {
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
        return;
      }
      const onward = connect(kms.port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [socket, onward]) end.on("error", () => {});
      socket.on("close", () => onward.destroy());
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
  });
  beforeEach(() => {
    tunnels = [];
  });
  afterEach(async () => {
    for (const signer of open.splice(0)) await signer.close();
  });
  after(async () => {
    await kms.close();
    proxy.close();
    proxy.closeAllConnections();
  });

  const opened = async (change: Partial<AwsKmsOptions>) => {
    const given = {
      keyId: "alias/payments",
      region: REGION,
      endpoint: kms.endpoint,
      credentials: ACCESS_KEY,
    };
    const signer = await awsKmsSigner({ ...given, ...change });
    open.push(signer);
    return signer;
  };
  const proxyUrl = (user = "") => `http://${user}127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const tls = { ca: certificate.cert };

  it("trusts the certificate authority of its TLS settings, and no certificate besides", async () => {
    await signWith(await opened({ tls }), request);
    const error = await errorOf(opened({}));
    should(error.code).equal("SIGNER_UNAVAILABLE");
    should(error.message).match(/SELF_SIGNED/);
  });

  it("goes through the proxy, with its credentials, to the endpoint and to that of the region", async () => {
    const through = { tls: { rejectUnauthorized: false }, proxy: proxyUrl("user:pass@") };
    await signWith(await opened(through), request);
    should(tunnels.map(({ url }) => url)).containEql(`127.0.0.1:${kms.port}`);
    // That of the environment is for the credentials of the host only.
    process.env.AWS_ENDPOINT_URL = "http://127.0.0.1:1";
    try {
      await signWith(await opened({ ...through, endpoint: undefined }), request);
    } finally {
      delete process.env.AWS_ENDPOINT_URL;
    }
    should(tunnels.at(-1)?.url).equal(`kms.${REGION}.amazonaws.com:443`);
  });

  it("says that the proxy refused it", async () => {
    const error = await errorOf(opened({ tls, proxy: proxyUrl() }));
    should(error.code).equal("SIGNER_UNAVAILABLE");
    should(error.message).match(/through the proxy 127\.0\.0\.1:\d+\).*refused the connection \(HTTP 407\)/);
    should(error.message).endWith("it requires a login. Check the credentials in the proxy of the signer.");
    should(tunnels).not.be.empty();
  });

  it("names a proxy that does not listen", async () => {
    const error = await errorOf(opened({ tls, proxy: "http://127.0.0.1:1" }));
    should(error.code).equal("SIGNER_UNAVAILABLE");
    should(error.message).startWith("The proxy at 127.0.0.1:1 cannot be reached: nothing listens there.");
  });

  it("says that nothing listens at the endpoint", async () => {
    const error = await errorOf(opened({ endpoint: "http://127.0.0.1:1" }));
    should(error).have.properties({ code: "SIGNER_UNAVAILABLE", retryable: true });
    should(error.message)
      .match(/ECONNREFUSED|nothing listens/)
      .and.match(/endpoint/);
  });
});
