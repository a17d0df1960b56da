import { keccak256, stringToHex, zeroHash } from "viem";
import { type Happening, HOUR, MINUTE, ordinaryTransfers, type Story, times, tokens } from "../story.ts";

const ADMIN = zeroHash;
const MINTER = keccak256(stringToHex("MINTER_ROLE"));
const GUARDIAN = keccak256(stringToHex("GUARDIAN_ROLE"));
/** The account that the example of the pause guardian knows. */
const KNOWN_ACCOUNT = "0x0000000000000000000000000000000000000d17";
/** The spender that the example of unknown spenders knows. */
const KNOWN_SPENDER = "0x0000000000000000000000000000000000000d16";

export const role: Story = {
  text: "Half a day of ordinary transfers and allowances of the guarded token. The administrator makes a known account guardian, and replaces a minter. Later a stranger becomes owner and administrator, takes the role from the administrator, grants himself the right to mint, and replaces the code.",
  async tell({ random, until, admin, pause }) {
    const from = until - 12 * HOUR;
    const [former, successor, stranger, code] = random.addresses(4);
    const happen = (at: number, event: string, args: Happening["args"]): Happening => ({
      ...{ at, contract: "GuardedToken", event, args },
    });
    const allowances = times(random, { from, to: until, every: 90 * MINUTE }).map((at) =>
      happen(at, "Approval", {
        ...{ owner: random.address(), spender: KNOWN_SPENDER },
        value: tokens(random.mostlySmall(1, 500)),
      }),
    );
    const change = random.whole(from + HOUR, from + 3 * HOUR);
    const ordinary = [
      happen(change - 30 * MINUTE, "RoleGranted", { role: GUARDIAN, account: KNOWN_ACCOUNT, sender: admin }),
      happen(change, "RoleGranted", { role: MINTER, account: successor, sender: admin }),
      happen(change + 5 * MINUTE, "RoleRevoked", { role: MINTER, account: former, sender: admin }),
    ];
    const begins = random.whole(from + 4 * HOUR, until - HOUR);
    const next = () => begins + random.whole(1, 4 * MINUTE);
    const taken = [
      happen(begins, "OwnershipTransferred", { previousOwner: admin, newOwner: stranger }),
      happen(begins, "RoleGranted", { role: ADMIN, account: stranger, sender: admin }),
      happen(next(), "RoleRevoked", { role: ADMIN, account: admin, sender: stranger }),
      happen(next(), "RoleGranted", { role: MINTER, account: stranger, sender: stranger }),
      happen(begins + 5 * MINUTE, "Upgraded", { implementation: code }),
    ].map((event) => ({ ...event, label: `taken over by ${stranger}` }));
    return [
      ...(await ordinaryTransfers(
        "GuardedToken",
        { random, pause },
        { from, to: until, every: 10 * MINUTE },
      )),
      ...allowances,
      ...ordinary,
      ...taken,
    ];
  },
};
