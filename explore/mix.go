package explore

// cacheLine keeps fields apart that different processors write to.
type cacheLine [64]byte

// Constants of the hashes that choose samples and the speed of actions in walks: digits of
// pi, made odd.
const (
	mixB = 0x13198a2e03707345
	mixC = 0xa4093822299f31d1
	mixD = 0x082efa98ec4e6c89
)
