/** ABIs that the form fills in, as people read them. All are our own words for public interfaces. */

import { EXTENSIONS } from "../../src/protocol/index.ts";

const ERC20 = `event Transfer(address indexed from, address indexed to, uint256 value)
event Approval(address indexed owner, address indexed spender, uint256 value)
function name() view returns (string)
function symbol() view returns (string)
function decimals() view returns (uint8)
function totalSupply() view returns (uint256)
function balanceOf(address owner) view returns (uint256)
function allowance(address owner, address spender) view returns (uint256)
function transfer(address to, uint256 value) returns (bool)
function approve(address spender, uint256 value) returns (bool)
function transferFrom(address from, address to, uint256 value) returns (bool)`;

const ERC721 = `event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)
event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)
event ApprovalForAll(address indexed owner, address indexed operator, bool approved)
function name() view returns (string)
function symbol() view returns (string)
function tokenURI(uint256 tokenId) view returns (string)
function balanceOf(address owner) view returns (uint256)
function ownerOf(uint256 tokenId) view returns (address)
function getApproved(uint256 tokenId) view returns (address)
function isApprovedForAll(address owner, address operator) view returns (bool)
function approve(address to, uint256 tokenId)
function setApprovalForAll(address operator, bool approved)
function transferFrom(address from, address to, uint256 tokenId)
function safeTransferFrom(address from, address to, uint256 tokenId)
function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)`;

const ERC1155 = `event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)
event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)
event ApprovalForAll(address indexed account, address indexed operator, bool approved)
event URI(string value, uint256 indexed id)
function uri(uint256 id) view returns (string)
function balanceOf(address account, uint256 id) view returns (uint256)
function balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])
function isApprovedForAll(address account, address operator) view returns (bool)
function setApprovalForAll(address operator, bool approved)
function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)
function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)`;

const DEMO_TOKEN = `${ERC20}
function mint(address to, uint256 value)
function minter() view returns (address)
error InsufficientBalance(address holder, uint256 balance, uint256 needed)
error InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
error InvalidReceiver(address receiver)
error NotMinter(address caller)`;

const GUARDED_TOKEN = `${ERC20}
event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)
event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)
event Paused(address account)
event Unpaused(address account)
event Upgraded(address indexed implementation)
function DEFAULT_ADMIN_ROLE() view returns (bytes32)
function MINTER_ROLE() view returns (bytes32)
function GUARDIAN_ROLE() view returns (bytes32)
function owner() view returns (address)
function implementation() view returns (address)
function paused() view returns (bool)
function hasRole(bytes32 role, address account) view returns (bool)
function mint(address to, uint256 value)
function burn(uint256 value)
function pause()
function unpause()
function grantRole(bytes32 role, address account)
function revokeRole(bytes32 role, address account)
function transferOwnership(address newOwner)
function upgradeTo(address newImplementation)
error InsufficientBalance(address holder, uint256 balance, uint256 needed)
error InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
error InvalidReceiver(address receiver)
error MissingRole(address caller, bytes32 role)
error OwnAdminRole(address caller)
error EnforcedPause()
error ExpectedPause()`;

const COUNTER = `event Incremented(address indexed by, uint256 amount, uint256 count)
function count() view returns (uint256)
function countOf(address caller) view returns (uint256)
function increment()
function add(uint256 amount) payable
function failWithReason(string reason) pure
function failWithError(uint256 amount) view
function failWithPanic(uint256 divisor) pure returns (uint256)
error Refused(address caller, uint256 amount)`;

const SENSOR_REGISTRY = `struct Reading { int256 value; uint64 takenAt; uint8 quality; bool alarm; }
event SensorReading(bytes32 indexed sensorId, address indexed reporter, int256 value, uint64 takenAt, uint8 quality, bool alarm, string unit, bytes payload)
event SensorBatch(bytes32 indexed sensorId, string indexed site, int64[] samples, Reading last)
function latest(bytes32 sensorId) view returns (int256 value, uint64 takenAt, uint8 quality, bool alarm)
function report(bytes32 sensorId, int256 value, uint64 takenAt, uint8 quality, bool alarm, string unit, bytes payload)
function reportBatch(bytes32 sensorId, string site, int64[] samples, uint64 takenAt)
error StaleReading(uint64 takenAt, uint64 latestTakenAt)
error NoSamples()`;

/** Of any network. The keys are the standards' names. */
export const STANDARD_ABIS = { "ERC-20": ERC20, "ERC-721": ERC721, "ERC-1155": ERC1155 } as const;

/** Of the contracts of the platform's extensions that can be called, by the contract's name. */
export const EXTENSION_ABIS: Readonly<Record<string, string>> = Object.fromEntries(
  EXTENSIONS.flatMap(({ contracts }) => Object.entries(contracts)).filter(([, abi]) =>
    /^function /m.test(abi),
  ),
);

/** Of the contracts that the local service deploys. */
export const DEMO_ABIS = {
  token: DEMO_TOKEN,
  guarded: GUARDED_TOKEN,
  counter: COUNTER,
  registry: SENSOR_REGISTRY,
} as const;

/** Their addresses, as the launcher and the service give them to flows. */
export const DEMO_ADDRESSES: Readonly<Record<keyof typeof DEMO_ABIS, string>> = {
  token: "${CREC_TOKEN_ADDRESS}",
  guarded: "${CREC_GUARDED_TOKEN_ADDRESS}",
  counter: "${CREC_COUNTER_ADDRESS}",
  registry: "${CREC_SENSOR_REGISTRY_ADDRESS}",
};
