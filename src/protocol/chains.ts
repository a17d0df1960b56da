/** A network whose chain selector and chain id are known without the service. */
export type KnownChain = {
  /** Its name for people. */
  name: string;
  /** A uint64 as decimal digits. */
  chainSelector: string;
  /** The EVM chain id as decimal digits. */
  chainId: string;
  /** Coins of a mainnet have a value, those of a testnet do not. */
  type: "mainnet" | "testnet";
  /** Of a public block explorer, which has pages such as `/tx/0x…` and `/address/0x…`. Local networks have none. */
  explorer?: string;
};

/**
 * Well-known pairs of chain selector and EVM chain id: enough to sign for these networks
 * while `GET /networks` cannot be reached. Selectors are uint64 and stay text everywhere.
 */
export const KNOWN_CHAINS: readonly KnownChain[] = [
  {
    name: "Ethereum",
    chainSelector: "5009297550715157269",
    chainId: "1",
    type: "mainnet",
    explorer: "https://etherscan.io",
  },
  {
    name: "Sepolia",
    chainSelector: "16015286601757825753",
    chainId: "11155111",
    type: "testnet",
    explorer: "https://sepolia.etherscan.io",
  },
  {
    name: "Base",
    chainSelector: "15971525489660198786",
    chainId: "8453",
    type: "mainnet",
    explorer: "https://basescan.org",
  },
  {
    name: "Base Sepolia",
    chainSelector: "10344971235874465080",
    chainId: "84532",
    type: "testnet",
    explorer: "https://sepolia.basescan.org",
  },
  {
    name: "Arbitrum One",
    chainSelector: "4949039107694359620",
    chainId: "42161",
    type: "mainnet",
    explorer: "https://arbiscan.io",
  },
  {
    name: "Arbitrum Sepolia",
    chainSelector: "3478487238524512106",
    chainId: "421614",
    type: "testnet",
    explorer: "https://sepolia.arbiscan.io",
  },
  {
    name: "Avalanche",
    chainSelector: "6433500567565415381",
    chainId: "43114",
    type: "mainnet",
    explorer: "https://snowtrace.io",
  },
  {
    name: "Avalanche Fuji",
    chainSelector: "14767482510784806043",
    chainId: "43113",
    type: "testnet",
    explorer: "https://testnet.snowtrace.io",
  },
  {
    name: "Polygon",
    chainSelector: "4051577828743386545",
    chainId: "137",
    type: "mainnet",
    explorer: "https://polygonscan.com",
  },
  {
    name: "Polygon Amoy",
    chainSelector: "16281711391670634445",
    chainId: "80002",
    type: "testnet",
    explorer: "https://amoy.polygonscan.com",
  },
  { name: "geth dev", chainSelector: "3379446385462418246", chainId: "1337", type: "testnet" },
  { name: "anvil dev", chainSelector: "7759470850252068959", chainId: "31337", type: "testnet" },
];
