import type { Signer, SignOptions, SignRequest } from "../../src/index.ts";

/** Key services limit requests by the second, and a burst of messages asks for all its signatures in one moment. */
const MOST = 16;

/** The same signer, asked for a few signatures at once. The others wait here, in their order, and until their signal. */
export function fewAtOnce<S extends Signer>(signer: S, most = MOST): S {
  const waiting = new Set<() => void>();
  let asked = 0;
  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        waiting.delete(enter);
        signal?.removeEventListener("abort", stop);
        settle();
      };
      const stop = () => end(() => reject(signal?.reason));
      const enter = () =>
        end(() => {
          asked += 1;
          resolve();
        });
      if (asked < most) return enter();
      waiting.add(enter);
      signal?.addEventListener("abort", stop);
    });
  const sign = async (request: SignRequest, options: SignOptions = {}) => {
    options.signal?.throwIfAborted();
    await turn(options.signal);
    try {
      return await signer.sign(request, options);
    } finally {
      asked -= 1;
      const [next] = waiting;
      next?.();
    }
  };
  return { ...signer, sign };
}
