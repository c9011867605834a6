#!/bin/sh
# machine.sh FOLDER CHECKOUT: the first process of a copy of this machine. What is written there is in memory and ends
# with it: nothing of the machine itself can be changed. Runs in mount, network and process namespaces of its own.
set -eu
mount -t tmpfs -o mode=755 tmpfs "$1"
root=$1/root
mkdir "$1/upper" "$1/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/shm"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
for folder in tmp dev/shm; do mount -t tmpfs -o mode=1777 tmpfs "$root/$folder"; done
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount --bind "$2" "$root/mnt"
mount -o remount,bind,ro "$root/mnt"
ip link set lo up
echo '127.0.0.1 localhost auth.example.com' > "$root/etc/hosts"
for program in apt-get npm npx systemctl; do
  cp "$2/test/support/deploy/debian/$program" "$root/usr/local/sbin"
done
echo ready
# A shell also collects the processes whose parents have ended.
exec chroot "$root" sh -c 'while :; do sleep 0.1; done'
