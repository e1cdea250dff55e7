# SPDX-License-Identifier: Apache-2.0
"""A box with a switch that swconfig sets, out of the virtual gateway: what its owner finds there.

swconfig's part of the kernel is in no distribution's. A namespace of the box plays the switch chip:
its cards are the sockets, and `swconfig`, planted as a program, bridges each VLAN of uci's. It is
called as OpenWrt calls it, at each reload of the network.

     the box               chip (a namespace of it)            the host
    +-------------------+   +--------------------------+
    | br-lan -- eth0.1  |   | trunk.1 -- p3 (was eth0) |------ ctl0
    |           eth0    |---| trunk   `- p2 (was eth1) |------ nic0
    | WAN ----- eth0.2  |   | trunk.2 -- p1 (was eth2) |------ nic1
    +-------------------+   +--------------------------+
"""

PROGRAM = r"""
chip() { ip -n chip "$@"; }
sections() { uci -X show network | sed -n 's/^network\.\([^.]*\)=switch_vlan$/\1/p'; }
vlan() {
  chip link add "br$1" type bridge mcast_snooping 0
  chip link add link trunk name "trunk.$1" type vlan id "$1"
  for port in $2; do
    case $port in 0t) port=trunk.$1 ;; *) port=p$port ;; esac
    chip link set "$port" up master "br$1"
  done
  chip link set "br$1" up
}
case "$*" in
list) echo 'Found: switch0 - mdio.0' ;;
*show) printf '\tlink: port:%s link:up speed:1000baseT full-duplex\n' 0 1 2 3 ;;
*load*)
  for old in $(ip netns exec chip ls /sys/class/net); do
    case $old in br*|trunk.*) chip link del "$old" ;; esac
  done
  for s in $(sections); do
    vlan "$(uci get "network.$s.vlan")" "$(uci get "network.$s.ports")"
  done
  ;;
esac
"""
CONFIG = """
delete network.control
delete network.@device[0].ports
add_list network.@device[0].ports=eth0.1
delete network.lan.ipaddr
add_list network.lan.ipaddr=192.0.2.2/24
set network.wan.device=eth0.2
set network.wan6.device=eth0.2
add network switch
set network.@switch[-1].name=switch0
set network.@switch[-1].reset=1
set network.@switch[-1].enable_vlan=1
add network switch_vlan
set network.@switch_vlan[-1].device=switch0
set network.@switch_vlan[-1].vlan=1
set network.@switch_vlan[-1].ports='0t 2 3'
add network switch_vlan
set network.@switch_vlan[-1].device=switch0
set network.@switch_vlan[-1].vlan=2
set network.@switch_vlan[-1].ports='0t 1'
commit
"""
PLANTED = f"""
cat > /sbin/swconfig <<'PROGRAM'
#!/bin/sh
{PROGRAM}
PROGRAM
chmod +x /sbin/swconfig
echo 'setup_switch() {{ swconfig dev switch0 load network; }}' > /lib/network/switch.sh
ip netns add chip
ip netns exec chip sysctl -q -w net.ipv6.conf.default.disable_ipv6=1
uci -q batch <<'BATCH'
{CONFIG}
BATCH
cat > /tmp/plug <<'PLUG'
for socket in "eth0 p3" "eth1 p2" "eth2 p1"; do
  ip link set "${{socket% *}}" netns chip name "${{socket#* }}"
done
ip link add eth0 type veth peer name trunk netns chip
ip -n chip link set trunk up
ip link set eth0 up
/etc/init.d/network reload
/etc/init.d/firewall reload
PLUG
"""
