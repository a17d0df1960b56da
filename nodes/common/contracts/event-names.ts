import { loadLibrary } from "../library.ts";
import { nodeError } from "../shared/errors.ts";

/**
 * Names of events unchanged, and signatures in canonical form, also where they are copied from an ABI:
 * `event Transfer(address indexed from, uint value)` becomes `Transfer(address,uint256)`.
 * @throws INVALID_FIELD
 */
export async function eventNames(given: readonly string[], label: string): Promise<string[]> {
  const { listEvents, parseAbi } = await loadLibrary();
  return given.map((text) => {
    const bare = text
      .replace(/^event\s+/, "")
      .replace(/;$/, "")
      .trim();
    if (!/[\s()]/.test(bare)) return bare;
    try {
      const [event, ...others] = listEvents(parseAbi(`event ${bare}`));
      if (event && others.length === 0) return event.signature;
    } catch (cause) {
      throw unreadable(text, label, cause);
    }
    throw unreadable(text, label);
  });
}

function unreadable(text: string, label: string, cause?: unknown): Error {
  return nodeError(
    "INVALID_FIELD",
    `"${label}" names "${text}", which is neither the name of an event, such as Transfer, nor its signature, such as Transfer(address,address,uint256).`,
    cause,
  );
}
