// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// An ERC-20 of 18 decimals with an owner, roles and a pause, to see the events of governance.
/// The account that deploys it is the owner and the administrator, and holds the first supply.
contract GuardedToken {
    string public constant name = "Guarded Token";
    string public constant symbol = "GUARD";
    uint8 public constant decimals = 18;

    bytes32 public constant DEFAULT_ADMIN_ROLE = 0x00;
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");

    address public owner;
    address public implementation;
    bool public paused;
    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    mapping(bytes32 role => mapping(address account => bool)) public hasRole;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);
    event Paused(address account);
    event Unpaused(address account);
    event Upgraded(address indexed implementation);

    error InsufficientBalance(address holder, uint256 balance, uint256 needed);
    error InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
    error InvalidReceiver(address receiver);
    error MissingRole(address caller, bytes32 role);
    error OwnAdminRole(address caller);
    // Named as in OpenZeppelin, so that a flow reads both alike.
    error EnforcedPause();
    error ExpectedPause();

    /// The administrator may do what each role may. So the demo goes on after the owner or a role was changed.
    modifier only(bytes32 role) {
        if (!hasRole[role][msg.sender] && !hasRole[DEFAULT_ADMIN_ROLE][msg.sender]) {
            revert MissingRole(msg.sender, role);
        }
        _;
    }

    modifier whenNotPaused() {
        if (paused) revert EnforcedPause();
        _;
    }

    constructor(uint256 initialSupply) {
        owner = msg.sender;
        emit OwnershipTransferred(address(0), msg.sender);
        _setRole(DEFAULT_ADMIN_ROLE, msg.sender, true);
        _mint(msg.sender, initialSupply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            if (allowed < value) revert InsufficientAllowance(msg.sender, allowed, value);
            allowance[from][msg.sender] = allowed - value;
        }
        _transfer(from, to, value);
        return true;
    }

    function mint(address to, uint256 value) external only(MINTER_ROLE) whenNotPaused {
        if (to == address(0)) revert InvalidReceiver(to);
        _mint(to, value);
    }

    function burn(uint256 value) external whenNotPaused {
        _take(msg.sender, value);
        totalSupply -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function pause() external only(GUARDIAN_ROLE) whenNotPaused {
        paused = true;
        emit Paused(msg.sender);
    }

    function unpause() external only(DEFAULT_ADMIN_ROLE) {
        if (!paused) revert ExpectedPause();
        paused = false;
        emit Unpaused(msg.sender);
    }

    function grantRole(bytes32 role, address account) external only(DEFAULT_ADMIN_ROLE) {
        _setRole(role, account, true);
    }

    function revokeRole(bytes32 role, address account) external only(DEFAULT_ADMIN_ROLE) {
        if (role == DEFAULT_ADMIN_ROLE && account == msg.sender) revert OwnAdminRole(msg.sender);
        _setRole(role, account, false);
    }

    function transferOwnership(address newOwner) external only(DEFAULT_ADMIN_ROLE) {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }

    /// Announces another implementation, as a proxy of ERC-1967 does. It changes nothing but the address that is read.
    function upgradeTo(address newImplementation) external only(DEFAULT_ADMIN_ROLE) {
        implementation = newImplementation;
        emit Upgraded(newImplementation);
    }

    function _transfer(address from, address to, uint256 value) private whenNotPaused {
        if (to == address(0)) revert InvalidReceiver(to);
        _take(from, value);
        unchecked {
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }

    function _take(address from, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance(from, balance, value);
        unchecked {
            balanceOf[from] = balance - value;
        }
    }

    function _mint(address to, uint256 value) private {
        totalSupply += value;
        unchecked {
            balanceOf[to] += value;
        }
        emit Transfer(address(0), to, value);
    }

    /// A role that is as wanted already is no event.
    function _setRole(bytes32 role, address account, bool granted) private {
        if (hasRole[role][account] == granted) return;
        hasRole[role][account] = granted;
        if (granted) emit RoleGranted(role, account, msg.sender);
        else emit RoleRevoked(role, account, msg.sender);
    }
}
